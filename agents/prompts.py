"""All skills and their prompts by method; each stands beside the agent that reads its reply. A
method's are loaded when they are first asked for."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..tools.on_demand import OnDemand
from .skill import Prompt, Skill

Skills = tuple[Skill[Any, Any], ...]


def _drill() -> Skills:
    from .explainer.explain import explain, name_aspects
    from .explainer.titles import pick_titles
    from .judge.verdict import judge
    from .prober.answer import answer_question
    from .questioner.question import check_question, same_answer, write_question

    checking = (check_question, same_answer)
    concepts = (explain, pick_titles)
    return name_aspects, write_question, *checking, answer_question, judge, *concepts


def _eqt() -> Skills:
    from .explainer.explain import explain_concept
    from .judge.selection import read_selection
    from .judge.verdict import attribute
    from .paraphraser.paraphrase import compare_wordings, paraphrase
    from .prober.answer import choose, choose_open_book
    from .questioner.choice_question import write_choice_question

    return (
        explain_concept,
        write_choice_question,
        paraphrase,
        compare_wordings,
        choose,
        choose_open_book,
        read_selection,
        attribute,
    )


def _depthqa() -> Skills:
    from .judge.rating import rate
    from .prober.answer import answer_in_depth, answer_with_context

    return answer_in_depth, answer_with_context, rate


def _depthqa_build() -> Skills:
    from .explainer.reference import write_reference
    from .judge.rating import rate_relation
    from .paraphraser.open_question import ask_openly
    from .questioner.deconstruction import augment, classify, deconstruct

    return classify, write_reference, deconstruct, ask_openly, augment, rate_relation


def _deepquestion() -> Skills:
    from .judge.comparison import compare_questions
    from .judge.verdict import judge
    from .prober.solver import create_question, solve, solve_independently
    from .questioner.instruction import check_instruction, keeps_to, write_instruction
    from .questioner.scenario import check_scenario, write_distractors, write_scenario
    from .questioner.transformation import draft_prompt, redraft_prompt, score_prompt

    drafting = (
        draft_prompt,
        redraft_prompt,
        score_prompt,
        write_scenario,
        write_distractors,
        check_scenario,
    )
    created = (create_question, keeps_to, compare_questions, judge)
    return (*drafting, write_instruction, check_instruction, solve, solve_independently, *created)


SKILLS_OF: Mapping[str, Skills] = OnDemand(
    {
        "drill": _drill,
        "replay": _drill,
        "eqt": _eqt,
        "depthqa": _depthqa,
        "depthqa_build": _depthqa_build,
        "deepquestion": _deepquestion,
    }
)
"""By the `method` of a spec."""


def _prompts(method: str) -> dict[str, Prompt]:
    return {skill.prompt.name: skill.prompt for skill in SKILLS_OF[method]}


PROMPTS_OF: Mapping[str, dict[str, Prompt]] = OnDemand(
    {method: partial(_prompts, method) for method in SKILLS_OF}
)
"""By the `method` of a spec; of a replay those of a drill."""
