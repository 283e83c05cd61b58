"""All prompts by name, per method; each stands beside the agent that reads its reply."""

from collections.abc import Mapping

from .choice_question import CHOICE_QUESTION
from .explainer import ASPECTS, CONCEPTS, EXPLANATION
from .judge import ATTRIBUTION, VERDICT
from .paraphraser import PARAPHRASE, SAME_QUESTION
from .prober import ANSWER, CHOICE, OPEN_BOOK
from .prompting import Prompt
from .questioner import CHECK, QUESTION

PROMPTS: dict[str, Prompt] = {prompt.name: prompt for prompt in (ASPECTS, QUESTION, CHECK, ANSWER, VERDICT, CONCEPTS)}
"""Those of a drill, and of a replay of one."""

EQT_PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (EXPLANATION, CHOICE_QUESTION, PARAPHRASE, SAME_QUESTION, CHOICE, OPEN_BOOK, ATTRIBUTION)
}

PROMPTS_OF: Mapping[str, Mapping[str, Prompt]] = {"drill": PROMPTS, "replay": PROMPTS, "eqt": EQT_PROMPTS}
"""By the `method` of a spec."""
