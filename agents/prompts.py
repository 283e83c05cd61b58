"""All prompts by name, per method; each stands beside the agent that reads its reply."""

from collections.abc import Mapping

from .explainer.explain import ASPECTS, CONCEPTS, EXPLANATION
from .explainer.reference import REFERENCE_ANSWER
from .judge.comparison import COMPARISON
from .judge.rating import RATING, RELATION
from .judge.verdict import ATTRIBUTION, VERDICT
from .paraphraser.open_question import OPEN_QUESTION
from .paraphraser.paraphrase import PARAPHRASE, SAME_QUESTION
from .prober.answer import ANSWER, CHOICE, DEPTH_ANSWER, DEPTH_WITH_CONTEXT, OPEN_BOOK
from .prober.solver import CREATED_QUESTION, INDEPENDENT_SOLUTION, SOLUTION
from .prompt_template import Prompt
from .questioner.choice_question import CHOICE_QUESTION
from .questioner.deconstruction import AUGMENTATION, CLASSIFICATION, DECONSTRUCTION
from .questioner.instruction import INSTRUCTION, INSTRUCTION_CHECK, INSTRUCTION_MET
from .questioner.question import CHECK, QUESTION
from .questioner.scenario import DISTRACTORS, SCENARIO, SCENARIO_CHECK
from .questioner.transformation import PROMPT_DRAFT, PROMPT_REDRAFT, PROMPT_SCORE

PROMPTS: dict[str, Prompt] = {prompt.name: prompt for prompt in (ASPECTS, QUESTION, CHECK, ANSWER, VERDICT, CONCEPTS)}
"""Those of a drill, and of a replay of one."""

EQT_PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (EXPLANATION, CHOICE_QUESTION, PARAPHRASE, SAME_QUESTION, CHOICE, OPEN_BOOK, ATTRIBUTION)
}

DEPTHQA_PROMPTS: dict[str, Prompt] = {prompt.name: prompt for prompt in (DEPTH_ANSWER, DEPTH_WITH_CONTEXT, RATING)}

DEPTHQA_BUILD_PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (CLASSIFICATION, REFERENCE_ANSWER, DECONSTRUCTION, OPEN_QUESTION, AUGMENTATION, RELATION)
}

DEEPQUESTION_PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        PROMPT_DRAFT,
        PROMPT_REDRAFT,
        PROMPT_SCORE,
        SCENARIO,
        DISTRACTORS,
        SCENARIO_CHECK,
        INSTRUCTION,
        INSTRUCTION_CHECK,
        SOLUTION,
        INDEPENDENT_SOLUTION,
        CREATED_QUESTION,
        INSTRUCTION_MET,
        COMPARISON,
        VERDICT,
    )
}

PROMPTS_OF: Mapping[str, Mapping[str, Prompt]] = {
    "drill": PROMPTS,
    "replay": PROMPTS,
    "eqt": EQT_PROMPTS,
    "depthqa": DEPTHQA_PROMPTS,
    "depthqa_build": DEPTHQA_BUILD_PROMPTS,
    "deepquestion": DEEPQUESTION_PROMPTS,
}
"""By the `method` of a spec."""
