"""The skills as a host gets them: of each its graph and its tool, an input, what its model replies,
and what comes of it."""

import json
from typing import Any, NamedTuple

from fathom.agents import export
from fathom.agents.export import deepquestion, depthqa, eqt
from fathom.graphs.deepquestion import optimiser
from fathom.tools.models.chat import ChatReply

from .drill.toy import ToySource
from .scripted_chat import Scripted

MODULES = (export, eqt, depthqa, deepquestion, optimiser)
SETTLED: dict[str, tuple[str, dict[str, Any]]] = {
    "open_book_chooser": ("chooser", {"open_book": True}),
    "prompted_answerer": ("deep_answerer", {"asking": "prompt"}),
    "conversation_answerer": ("deep_answerer", {"asking": "conversation"}),
}
"""Skills that are another one with something settled when it is bound."""
MODELLESS = ("letter_judge", "final_judge")


def graph_of(skill: str, model: Any = None, *more: Any, **options: Any) -> Any:
    """A skill's graph over a model (the FactFinder's: over a source)."""
    return _made(skill, "graph", model, *more, **options)


def tool_of(skill: str, model: Any = None, *more: Any, **options: Any) -> Any:
    """A skill as a tool."""
    return _made(skill, "tool", model, *more, **options)


def _made(skill: str, what: str, model: Any, *more: Any, **options: Any) -> Any:
    base, settled = SETTLED.get(skill, (skill, {}))
    maker = next(
        getattr(each, f"{base}_{what}") for each in MODULES if hasattr(each, f"{base}_{what}")
    )
    models = () if skill in MODELLESS else ([model] if skill == "factfinder" else model, *more)
    return maker(*models, **settled, **options)


class Skill(NamedTuple):
    """`roles`: by whom a factory has it done, and who stands in; empty: by nobody. `replies`: what
    the model says in turn. `shown`: what the first prompt says of fields that the input leaves out.
    """

    tool: str
    roles: str
    takes: dict[str, Any]
    gives: dict[str, Any]
    replies: tuple[Any, ...] = ()
    shown: tuple[str, ...] = ()


def scripted(*replies: Any) -> Scripted:
    """A chat that says this in turn; an object is said as JSON."""
    return Scripted(
        *(
            reply if isinstance(reply, str | ChatReply) else json.dumps(reply)
            for reply in replies or ("",)
        )
    )


def model_of(skill: str) -> Any:
    """What the skill asks: a chat that gives its replies, or the source of the FactFinder."""
    return ToySource(per_page=1) if skill == "factfinder" else scripted(*SKILLS[skill].replies)


EVIDENCE: dict[str, Any] = {
    "text": "Item c7.C0 bears the code 765479.", "title": "c7", "url": "toy://c7", "source": "toy", "tier": "COMMON",
    "section": None, "revision": None, "published": None, "retrieved_at": "2026-01-01T00:00:00Z",
    "digest": "87fc0731ff7af124",
}  # fmt: skip
PROBLEM = {"question": "What is the sum of 2 and 20?", "answer": "22", "solution": "2 + 20"}
CHOICE = {"question": "Which sea is it?", "answer": "B", "options": ["The Baltic", "The Aegean"]}
SCENARIO: dict[str, Any] = {
    "sentences": [
        "Ada goes to market on a bright morning.",
        "She carries 2 apples.",
        "Her bag holds 20 pears.",
    ],
    "question": "How many pieces of fruit has she?",
}
STORY = " ".join([*SCENARIO["sentences"]]) + f"\n\n{SCENARIO['question']}"
BELOW = [{"question": "What about q1.1?", "reference": "The truth about q1.1."}]
OPTIONS = ["It counts arrangements", "It falls by itself", "Clausius named it"]
FIELDS: dict[str, Any] = {
    "domain": "Toys", "concept": "c7", "tier": "COMMON", "evidence": EVIDENCE, "question": "Is it so?",
    "reference": "No. It is not.", "answer": "So it is. Answer: 22", "explanation": "Entropy counts arrangements.",
    "options": OPTIONS, "right": ["A", "C"], "predecessors": BELOW,
    "turns": [{"question": "t1?", "answer": "Earlier."}],
    "kind": "q2s", "problems": [PROBLEM], "problem": PROBLEM, "guide": "Tell a story.", "scenario": SCENARIO,
    "instruction": "Write a question in which two numbers are added. Its final answer is 22.",
}  # fmt: skip
"""A value for each field that a skill needs."""


def fields(names: str, **own: Any) -> dict[str, Any]:
    return {name: FIELDS[name] for name in names.split()} | own


CRITERIA = ("clarity", "reasoning_demand", "realism", "no_giveaway", "instruction_following")
COMPARED = CRITERIA[:4]
"""Where no instruction is given."""
ANSWERED = {"answer": "So.", "finish": "stop", "refusal": False}
CHOSEN = ANSWERED | {"answer": "Answer: C, A", "letters": ["A", "C"], "reading": "letters"}
GUIDE = "Put it into a story of a market."
EN, IN_ENGLISH = "<language>\nen\n", "in the language with the code en"
ABSTAINED = {
    "reason": "R.", "abstained": True, "asserts_reference": False, "asserts_incompatible": False, "confidence": 0.75
}  # fmt: skip
LISTED = [{"text": "It falls", "correct": False}, {"text": "It counts", "correct": True}]
REWORDED = ["Say what holds.", "Does it hold that way at all?", "Now name those that hold."]
RELATION = {"comprehensive": "partial", "missing": "heat"}
STALL = {"text": "The stall is 71 years old.", "after": 3}
WRITTEN: dict[str, Any] = {
    "question": "What code does item c7.C0 bear?", "reference": "It is 765479.",
    "quote": "Item c7.C0 bears the code 765479",
}  # fmt: skip
MENTIONED = {"concepts": [{"said": "the Rod", "name": "Rod"}], "aspects": ["Wheel"]}


def echoed(**reply: Any) -> tuple[dict[str, Any], tuple[dict[str, Any]]]:
    """What is given, and the reply, which is the same."""
    return reply, (reply,)


SKILLS: dict[str, Skill] = {
    "explainer": Skill(
        "explain_answer", "evaluator", fields("domain concept question", answer="I had the Rod."),
        {"concepts": ["Rod"], "said": ["the Rod"], "aspects": ["Wheel"]}, (MENTIONED,), ("<count>\n8\n",)),
    "questioner": Skill(
        "write_question", "evaluator", fields("domain concept evidence"), WRITTEN | {"rejected": None},
        (WRITTEN, {"answerable": True, "answer": WRITTEN["reference"]})),
    "prober": Skill("probe_model", "target", fields("question"), ANSWERED, ("So.",)),
    "factfinder": Skill("find_evidence", "", fields("domain concept tier"), {"evidence": [EVIDENCE]}),
    "judge": Skill(
        "judge_answer", "judge evaluator", fields("question reference answer"),
        {"verdict": "abstained", "confidence": 0.75, "reason": "R."}, (ABSTAINED,)),
    "concept_explainer": Skill(
        "explain_concept", "examiner target", fields("concept"), {"explanation": "It counts."}, ("It counts.",), (EN,)),
    "choice_questioner": Skill(
        "write_choice_question", "examiner target", fields("concept explanation", count=2),
        {"question": "Which?", "options": ["It falls", "It counts"], "right": ["B"], "rejected": [], "dropped": None},
        ({"question": "Which?", "options": LISTED},), (EN,)),
    "paraphraser": Skill(
        "paraphrase_question", "examiner target", fields("question options"),
        {"paraphrases": REWORDED, "rejected": []}, tuple({"paraphrase": text} for text in REWORDED), (EN,)),
    "chooser": Skill("choose_options", "target", fields("question options"), CHOSEN, ("Answer: C, A",)),
    "open_book_chooser": Skill(
        "choose_options_open_book", "", fields("question options explanation"), CHOSEN, ("Answer: C, A",),
        ("<explanation>\nEntropy counts arrangements.\n",)),
    "letter_judge": Skill(
        "judge_letters", "", fields("options right", answer="Answer: C, A"),
        {"correct": True, "letters": ["A", "C"], "reading": "letters"}),
    "deep_answerer": Skill("answer_in_depth", "target", fields("question"), ANSWERED, ("So.",)),
    "prompted_answerer": Skill("answer_with_predecessors", "", fields("question predecessors"), ANSWERED, ("So.",)),
    "conversation_answerer": Skill("answer_in_conversation", "", fields("question turns"), ANSWERED, ("So.",)),
    "rater": Skill(
        "rate_answer", "judge evaluator", fields("question reference answer"), *echoed(score=3, reason="R.")),
    "classifier": Skill("classify_question", "evaluator", fields("question"), *echoed(depth=3, reason="R.")),
    "deconstructor": Skill(
        "deconstruct_question", "evaluator", fields("question reference"),
        {"predecessors": BELOW, "reasoning": ["causal"]}, ({"reasoning": ["causal"], "questions": BELOW},),
        ("<depth>\n2\n", "<count>\n4\n", EN)),
    "opener": Skill(
        "open_question", "evaluator", fields("question reference"),
        {"open_question": "How is it?", "reference": "It is not.", "rejected": []}, ({"rewritten": "How is it?"},),
        (EN,)),
    "referencer": Skill("write_reference", "evaluator", fields("question"), *echoed(reference="It is."), (EN,)),
    "relation_rater": Skill(
        "rate_relation", "evaluator", fields("question reference predecessors"), RELATION | {"implicit": ["revealing"]},
        (RELATION | {"implicit": [{"number": 1, "rating": "revealing"}]},)),
    "prompt_drafter": Skill(
        "draft_prompt", "generator evaluator", fields("kind problems"), {"guide": GUIDE}, ({"instructions": GUIDE},)),
    "prompt_scorer": Skill(
        "score_prompt", "evaluator", fields("kind problems guide"), *echoed(feedback="Say more.", score=8),
        ("<draft>\nTell a story.\n",)),
    "scenario_writer": Skill(
        "write_scenario", "generator evaluator", fields("problem guide"), {"scenario": SCENARIO, "question": STORY},
        (SCENARIO,), (IN_ENGLISH,)),
    "distractor_writer": Skill(
        "write_distractors", "generator evaluator", fields("problem scenario"),
        {"distractors": [STALL], "question": STORY.replace("\n\n", f" {STALL['text']}\n\n")},
        ({"distractors": [STALL]},), ("Write exactly 2 distractors", IN_ENGLISH)),
    "scenario_checker": Skill(
        "check_scenario", "evaluator", fields("problem scenario"),
        *echoed(reason="R.", missing=["2"], bare=False, gives_away=True)),
    "instruction_writer": Skill(
        "write_instruction", "generator evaluator", fields("problem guide"), *echoed(instruction=GUIDE), (IN_ENGLISH,)),
    "instruction_checker": Skill(
        "check_instruction", "evaluator", fields("problem instruction"),
        *echoed(reason="R.", gives_away=True, complete=False)),
    "solver": Skill("solve_problem", "target", fields("question"), ANSWERED, ("So.",)),
    "independent_solver": Skill(
        "solve_independently", "evaluator", fields("question"), *echoed(working="W.", solvable=True, answer="22")),
    "final_judge": Skill("judge_final_answer", "", fields("problem answer"), {"correct": True, "read": "22"}),
    "question_creator": Skill(
        "create_question", "target", fields("instruction"),
        {"question": "What is it?", "finish": "stop", "refusal": False}, (" What is it?\n",)),
    "instruction_met_checker": Skill(
        "check_created_question", "evaluator", fields("instruction question"), *echoed(reason="R.", met=False)),
    "question_comparer": Skill(
        "compare_questions", "judge evaluator", fields("problem question"),
        {"preferences": dict.fromkeys(COMPARED, "tie"), "reasons": ["R.", "R."],
         "orders": [dict.fromkeys(COMPARED, "original"), dict.fromkeys(COMPARED, "created")]},
        ({"reason": "R.", **dict.fromkeys(CRITERIA, "first")},)),
    "prompt_optimiser": Skill(
        "optimise_prompt", "generator evaluator", fields("kind problems"),
        {"guide": GUIDE, "score": 9, "converged": True,
         "drafts": [{"round": 1, "guide": GUIDE, "score": 9, "feedback": "Good."}]},
        ({"instructions": GUIDE}, {"feedback": "Good.", "score": 9})),
}  # fmt: skip
