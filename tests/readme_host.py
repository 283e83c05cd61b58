"""The host of README's "Embed it", word for word, for mypy; `test_readme_host.py` compares the two."""

import os
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from fathom.state.channels import DrillInput


class State(TypedDict, total=False):
    """A host's own channels."""

    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]


async def host(my_chat_model: BaseChatModel, builder: StateGraph[State, None, DrillInput, State]) -> None:
    """What stands in the README."""
    from fathom.agents.export import judge_graph
    from fathom.graphs.embed import embed

    async with embed(target=my_chat_model, evaluator="openai:gpt-5", facts="wikipedia", env=os.environ) as drill:
        builder.add_node("judge", judge_graph("openai:gpt-5", drill.clients))
        builder.add_node("drill", drill.graph)  # channels: spec, run_id → result
        app = builder.compile()
        async for part in app.astream(
            drill.input("Cardiology", n=10, max_depth=6), stream_mode=["custom", "values"], subgraphs=True, version="v2"
        ):
            print(part["ns"], part["data"])  # every event of the drill, with its namespace
