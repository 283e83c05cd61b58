"""All skills and their prompts by name, per method; each stands beside the agent that reads its reply."""

from collections.abc import Mapping
from typing import Any

from .explainer.explain import explain, explain_concept, name_aspects
from .explainer.reference import write_reference
from .judge.comparison import compare_questions
from .judge.rating import rate, rate_relation
from .judge.verdict import attribute, judge
from .paraphraser.open_question import ask_openly
from .paraphraser.paraphrase import compare_wordings, paraphrase
from .prober.answer import answer_in_depth, answer_question, answer_with_context, choose, choose_open_book
from .prober.solver import create_question, solve, solve_independently
from .prompt_template import Prompt
from .questioner.choice_question import write_choice_question
from .questioner.deconstruction import augment, classify, deconstruct
from .questioner.instruction import check_instruction, keeps_to, write_instruction
from .questioner.question import answer_from_passage, write_question
from .questioner.scenario import check_scenario, write_distractors, write_scenario
from .questioner.transformation import draft_prompt, redraft_prompt, score_prompt
from .skill import Skill

AnySkill = Skill[Any, Any]

DRILL: tuple[AnySkill, ...] = (name_aspects, write_question, answer_from_passage, answer_question, judge, explain)

SKILLS_OF: Mapping[str, tuple[AnySkill, ...]] = {
    "drill": DRILL,
    "replay": DRILL,
    "eqt": (
        explain_concept, write_choice_question, paraphrase, compare_wordings, choose, choose_open_book, attribute,
    ),
    "depthqa": (answer_in_depth, answer_with_context, rate),
    "depthqa_build": (classify, write_reference, deconstruct, ask_openly, augment, rate_relation),
    "deepquestion": (
        draft_prompt, redraft_prompt, score_prompt, write_scenario, write_distractors, check_scenario,
        write_instruction, check_instruction, solve, solve_independently, create_question, keeps_to, compare_questions,
        judge,
    ),
}  # fmt: skip
"""By the `method` of a spec."""

SKILLS: Mapping[str, AnySkill] = {skill.name: skill for skills in SKILLS_OF.values() for skill in skills}

PROMPTS_OF: Mapping[str, dict[str, Prompt]] = {
    method: {skill.prompt.name: skill.prompt for skill in skills} for method, skills in SKILLS_OF.items()
}
"""By the `method` of a spec; of a replay those of a drill."""

PROMPTS = PROMPTS_OF["drill"]
EQT_PROMPTS = PROMPTS_OF["eqt"]
DEPTHQA_PROMPTS = PROMPTS_OF["depthqa"]
DEPTHQA_BUILD_PROMPTS = PROMPTS_OF["depthqa_build"]
DEEPQUESTION_PROMPTS = PROMPTS_OF["deepquestion"]
