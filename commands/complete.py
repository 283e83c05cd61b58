"""What a shell completes: providers of models, the simulated models, and the runs there are."""

from collections.abc import Callable, Mapping


def _models(incomplete: str) -> list[str]:
    from ..sim.personas import MODELS
    from ..tools.models.providers import PROVIDERS

    known = [
        *(f"{name}:" for name in PROVIDERS if name != "sim"),
        *(f"sim:{name}" for name in MODELS),
    ]
    return [name for name in known if name.startswith(incomplete)]


def _runs(incomplete: str) -> list[str]:
    """The runs by their folder's name and by the id at its end, the newest first."""
    from ..tools.runs.folders import run_paths
    from .environment import runs_dir

    names = [path.name for path in reversed(run_paths(runs_dir(None)))]
    return [
        name
        for name in ("last", *names, *(name[-8:] for name in names))
        if name.startswith(incomplete)
    ]


COMPLETE: Mapping[str, Callable[[str], list[str]]] = {"model": _models, "run": _runs}
"""By what a word is; files are completed by the shell itself."""
