"""The service as a program: killed with its runs and started again, and seen from a terminal."""

import json
import os
import signal
from itertools import islice
from pathlib import Path

from ..support.command_line import Caller
from ..support.programs import Programs
from ..support.service import STUDY, beside, children, program, until


def test_streams_go_on_where_they_were_after_both_were_killed(
    tmp_path: Path, programs: Programs
) -> None:
    study = {**STUDY, "probes": 4, "max_depth": 2, "sim": {"latency": 0.1}}
    lines, last = list[bytes](), ""
    with program(programs, tmp_path / "runs") as first:
        name = first.ask("/v1/studies", study)["id"]
        for id_, line in islice(first.lines(f"/v1/studies/{name}/events"), 8):
            last = id_
            lines.append(line)
        run = first.ask("/v1/runs")[0]["run"]
        (child,) = children(first.process.pid)
        first.kill()
        os.kill(child, signal.SIGKILL)
    with program(programs, tmp_path / "runs") as second:
        lines += [line for _, line in second.lines(f"/v1/studies/{name}/events", last)]
        journal = (tmp_path / "runs" / run / "events.jsonl").read_bytes()
        assert b"".join(lines) == journal
        assert second.ask(f"/v1/studies/{name}")["state"] == "complete"
        assert b"run_resumed" in journal
        whole = [line for _, line in second.lines(f"/v1/runs/{run}/events")]
        assert b"".join(whole) == journal


def test_a_run_ends_when_its_server_is_gone(tmp_path: Path, programs: Programs) -> None:
    with program(programs, tmp_path / "runs") as server:
        server.ask("/v1/studies", {**STUDY, "probes": 20, "sim": {"latency": 1}})
        (child,) = until(lambda: children(server.process.pid))
        server.kill()
        assert until(lambda: not Path(f"/proc/{child}").exists())


def test_a_terminal_runs_and_watches_at_a_server(tmp_path: Path, call: Caller) -> None:
    (call.folder / "study.json").write_text(json.dumps(STUDY))
    with beside(tmp_path / "runs") as server:
        os.environ["FATHOM_TOKEN"] = server.token
        try:
            done = call("run", "study.json", "--server", server.url, "--json")
            assert done.code == 0
            document = json.loads(done.out)
            assert document["state"] == "complete"
            path = f"{server.url}/v1/runs/{document['cells'][0]['run']}"
            seen = call("watch", path, "--display", "events")
            assert seen.code == 0
            assert json.loads(seen.out.splitlines()[-1])["type"] == "run_finished"
            assert call("watch", f"{server.url}/v1/runs/nix").code == 2
        finally:
            del os.environ["FATHOM_TOKEN"]
        local = call("watch", "last", "--display", "events", "--runs", str(tmp_path / "runs"))
        assert local.out == seen.out
