"""The factories of DeepQuestion that langgraph.json names."""

import json
from pathlib import Path

import pytest

from fathom.graphs.factories import deepquestion as factories_deepquestion
from fathom.state.channels import DrillInput
from fathom.state.errors import UsageError

from ...support.deepquestion.toy import SUMS, QuestionRun

GENERATOR, EVALUATOR, TARGET = "generator", "evaluator", "target"
FACTORIES = {
    "deepquestion": ({"spec", "run_id"}, ""),
    "prompt_optimiser": ({"kind", "problems"}, GENERATOR),
    "prompt_drafter": ({"kind", "problems"}, GENERATOR),
    "prompt_scorer": ({"kind", "problems", "guide"}, EVALUATOR),
    "scenario_writer": ({"problem", "guide"}, GENERATOR),
    "distractor_writer": ({"problem", "scenario"}, GENERATOR),
    "scenario_checker": ({"problem", "scenario"}, EVALUATOR),
    "instruction_writer": ({"problem", "guide"}, GENERATOR),
    "instruction_checker": ({"problem", "instruction"}, EVALUATOR),
    "solver": ({"question"}, TARGET),
    "independent_solver": ({"question"}, EVALUATOR),
    "final_judge": ({"problem", "answer"}, ""),
    "question_creator": ({"instruction"}, TARGET),
    "instruction_met_checker": ({"instruction", "question"}, EVALUATOR),
    "question_comparer": ({"problem", "question"}, "judge"),
}
"""What each takes, and the role that it asks; empty: none, or several."""
PROBLEM = {"question": "What is two plus two?", "answer": "4"}
GIVEN = {
    "kind": "q2s",
    "problems": [PROBLEM],
    "problem": PROBLEM,
    "guide": "Tell a story.",
    "scenario": {"sentences": ["Ada goes to market.", "She has two pears and buys two."], "question": "How many?"},
    "instruction": "Write a question in which two numbers are added; its final answer is 4.",
    "question": "How many are two and two?",
    "answer": "Answer: 4",
}


async def test_every_factory_builds_a_graph_without_models_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for setting in ("TARGET", "EVALUATOR", "GENERATOR", "JUDGE", "BENCHMARK"):
        monkeypatch.delenv(f"FATHOM_{setting}", raising=False)
    for name, (takes, role) in FACTORIES.items():
        async with getattr(factories_deepquestion, name)({}) as graph:
            assert "__start__" in graph.get_graph().draw_mermaid()
            assert set(graph.get_input_jsonschema()["required"]) == takes, name
            if role:
                with pytest.raises(UsageError, match=f"No {role} is named: set FATHOM_{role.upper()} "):
                    await graph.ainvoke(GIVEN)
    async with factories_deepquestion.final_judge({}) as graph:
        assert (await graph.ainvoke(GIVEN)) == {"correct": True, "read": "4"}


async def test_a_generator_that_is_not_named_is_the_evaluator() -> None:
    async with factories_deepquestion.prompt_drafter({"configurable": {"evaluator": "sim:evaluator"}}) as graph:
        with pytest.raises(UsageError, match="sim:evaluator needs the simulated world"):
            await graph.ainvoke(GIVEN)


async def test_the_benchmark_of_a_factory_is_named_by_value_or_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FATHOM_BENCHMARK", raising=False)
    roles = {"target": "sim:t", "evaluator": "sim:e", "generator": "sim:g"}
    run = QuestionRun(problems=SUMS[:1])
    benchmark = run.problems.model_dump_json()
    spec = run.spec(**roles, judge="sim:e", kinds=("q2s",), single_pass=True)
    given = DrillInput(spec=spec.model_dump(mode="json"), run_id="toy-0001")
    async with factories_deepquestion.deepquestion({"configurable": roles}) as graph:
        with pytest.raises(UsageError, match="set FATHOM_BENCHMARK or the configurable value 'benchmark'"):
            await graph.ainvoke(given)
    path = tmp_path / "other.jsonl"
    path.write_text(json.dumps(PROBLEM), encoding="utf-8")
    monkeypatch.setenv("FATHOM_BENCHMARK", str(path))
    for values, fault in (
        (roles, "problems of sums are not this run's"),
        (roles | {"benchmark": benchmark}, "sim:g needs the simulated world"),
        (
            roles | {"benchmark": benchmark, "generator": "sim:h"},
            "generator is 'sim:g' but the graph is bound to 'sim:h'",
        ),
    ):
        async with factories_deepquestion.deepquestion({"configurable": values}) as graph:
            with pytest.raises(UsageError, match=fault):
                await graph.ainvoke(given)
