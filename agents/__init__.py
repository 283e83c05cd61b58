"""Six agents, each a prompt, a reply schema and one async function.

- Explainer: names the aspects of a domain; finds what an answer mentions; explains a concept
- Questioner: writes a question from a passage; reads one, blind to its tier and its reference;
  writes one with options
- Paraphraser: puts a question in other words, and checks that it still is the same
- Prober: asks the target
- FactFinder: retrieves evidence
- Judge: compares an answer with the reference; says what a wrong choice comes from

The names here are what programs may rely on: the main skill of each, `await judge(model, …)`, as a
node (`judge.graph(model)`) and as a tool (`judge.tool(model)`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .explainer.explain import explain as explainer
    from .factfinder.find import find_passages as factfinder
    from .judge.verdict import judge
    from .paraphraser.paraphrase import paraphrase_question as paraphraser
    from .prober.answer import answer_question as prober
    from .questioner.question import write_question as questioner

__all__ = ["explainer", "factfinder", "judge", "paraphraser", "prober", "questioner"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
