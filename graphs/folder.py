"""The run folder: `spec.json`, `events.jsonl`, `log.jsonl`, `result.json`."""

import os
import re
import secrets
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from ..state.errors import UsageError
from ..state.result import DrillResult
from ..state.spec import DrillSpec


def short_id() -> str:
    """Eight hex digits, new for each run."""
    return secrets.token_hex(4)


def run_name(spec: DrillSpec, now: datetime, run_short_id: str) -> str:
    """`<timestamp>-<method>-<slug>-<id>`; the slug names domain and target, in ASCII."""
    slug = re.sub(r"[^a-z0-9]+", "-", f"{spec.domain} {spec.target}".lower()).strip("-")[:48].strip("-")
    return f"{now:%Y%m%dT%H%M%S}-{spec.method}-{slug or 'run'}-{run_short_id}"


class RunFolder:
    """One run's folder under the runs folder. Made before any call; raises UsageError when it cannot be written."""

    def __init__(self, runs: Path, spec: DrillSpec, now: datetime, new_id: Callable[[], str] = short_id) -> None:
        self.run_id = run_name(spec, now, new_id())
        self.path = runs / self.run_id
        try:
            self.path.mkdir(parents=True)
            (self.path / "spec.json").write_text(spec.model_dump_json(indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"The run folder {self.path} cannot be written ({error.strerror or error}); "
                "choose another with --runs DIR or FATHOM_RUNS."
            ) from error

    def remove(self) -> None:
        """Take an unused folder away again."""
        shutil.rmtree(self.path)

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def log(self) -> Path:
        return self.path / "log.jsonl"

    def write_result(self, result: DrillResult) -> None:
        """Atomic: either the old file or the whole new one is there."""
        part = self.path / "result.json.part"
        part.write_text(result.model_dump_json(indent=2, by_alias=True) + "\n", encoding="utf-8")
        os.replace(part, self.path / "result.json")
