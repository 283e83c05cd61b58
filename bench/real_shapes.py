"""How long a drill takes against services with the shapes of real ones (bench/shaped_services.py).

    python bench/real_shapes.py [--connections 3 8 32] [--rounds 5] [--beside CHECKOUT] [--wiki
    mediawiki] [--layers]

A drill of D depths ideally takes D·(3 L + F) + L, with L and F the wait for a model and for a
source. It is started as a user would, `fathom drill`, so that start and end are in the figures.
With `--beside` another checkout takes turns; `--wiki mediawiki` asks a real one (Debian's) through
the same wait. `--size`: the mean length of an article; four times that of all of Wikipedia, because
a field's main subjects have the longer articles.
"""

import argparse
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

SERVICES = Path(__file__).with_name("shaped_services.py")
PROFILED = """
import atexit, cProfile, sys, time
from fathom.__main__ import main
kept, *sys.argv[1:] = sys.argv[1:]
profile = cProfile.Profile(time.process_time)
atexit.register(profile.dump_stats, kept)
profile.runcall(main)
"""
DOMAIN, N = "Chemical elements", 30


@dataclass(frozen=True)
class Drilled:
    """One drill as it was run."""

    wall_s: float
    ratio: float
    first_call_s: float
    end_s: float
    cpu_s: float
    rss_mb: float
    asked: Counter[str]
    scored: int
    result: str
    """Digest of its probes."""


def drill(
    checkout: Path,
    urls: Sequence[str],
    connections: int,
    depth: int,
    latency_s: float,
    kept: Path,
    program: Sequence[str] = ("-m", "fathom"),
) -> Drilled:
    """`fathom drill` of a checkout, in a process of its own."""
    kept.mkdir()
    api, facts = urls
    sources = f"mediawiki:{facts}/w/api.php,tavily@{facts}"
    models = ["-t", f"sim@{api}:omniscient", "-e", f"sim@{api}:evaluator"]
    words = [
        "drill",
        DOMAIN,
        *models,
        "--facts",
        sources,
        "-n",
        str(N),
        "--max-depth",
        str(depth),
        "--no-cache",
    ]
    settings = {
        "PYTHONPATH": str(checkout / ".pkg"),
        "TAVILY_API_KEY": "tvly-of-the-bench",
        "FATHOM_CACHE": str(kept / "cache"),
    }
    env = (
        os.environ
        | settings
        | {"FATHOM_FACT_CONNECTIONS": str(connections), "FATHOM_ALLOW_HTTP_KEYS": "1"}
    )
    begin = time.monotonic()
    command = [
        sys.executable,
        *program,
        *words,
        "--as-of",
        "2026-01-01",
        "--json",
        "--display",
        "none",
    ]
    child = subprocess.Popen([*command, "--runs", str(kept)], env=env, stdout=subprocess.PIPE)
    assert child.stdout is not None
    result = json.loads(child.stdout.read())
    _, status, usage = os.wait4(child.pid, 0)
    ended = time.monotonic()
    child.returncode = os.waitstatus_to_exitcode(status)
    told = stats(facts)
    depths = len(result["depths"])
    ideal = depths * (4 * latency_s) + latency_s
    probes = [_told(probe) for probe in result["probes"]]
    return Drilled(
        wall_s=result["wall_s"],
        ratio=result["wall_s"] / ideal,
        first_call_s=told["first_s"] - begin,
        end_s=ended - told["last_s"] - latency_s,
        cpu_s=usage.ru_utime + usage.ru_stime,
        rss_mb=usage.ru_maxrss / 1024,
        asked=Counter(told["asked"]),
        scored=sum(row["scored"] for row in result["depths"]),
        result=sha256(json.dumps(probes, sort_keys=True).encode()).hexdigest()[:12],
    )


def _told(probe: Mapping[str, Any]) -> list[Any]:
    """What a probe came to, without times and ids."""
    question, answer = probe["question"] or {}, probe["answer"] or {}
    passage = (question.get("evidence") or {}).get("digest")
    verdict = {k: probe["outcome"].get(k) for k in ("status", "verdict", "stage")}
    return [
        probe["slot"],
        probe["concept"],
        question.get("text"),
        passage,
        answer.get("text"),
        verdict,
    ]


def stats(facts: str) -> dict[str, Any]:
    """What the services were asked since the last time this was read."""
    with urllib.request.urlopen(f"{facts}/stats") as reply:
        told: dict[str, Any] = json.load(reply)
        return told


def layers(checkout: Path, urls: Sequence[str], latency_s: float, kept: Path) -> None:
    """CPU of one drill by package, seen by cProfile (which makes all of it about twice as slow);
    waiting is none."""
    profile = kept.with_suffix(".prof")
    drilled = drill(checkout, urls, 8, 8, latency_s, kept, ("-c", PROFILED, str(profile)))
    spent: Counter[str] = Counter()
    for (file, _, _), (_, _, own_s, _, _) in pstats.Stats(str(profile)).stats.items():  # type: ignore[attr-defined]
        spent[layer(file, checkout)] += own_s
    for name, own_s in spent.most_common(14):
        print(f"  {name:<28} {own_s / drilled.asked['model'] * 1000:6.3f} ms per call")


def layer(file: str, checkout: Path) -> str:
    """`fathom/tools/facts`, `openai`, `built in`."""
    if "site-packages/" in file:
        return file.split("site-packages/")[1].split("/")[0]
    for root in (str(checkout / ".pkg" / "fathom"), str(checkout.resolve())):
        if file.startswith(root):
            return "fathom/" + "/".join(Path(file[len(root) + 1 :]).parts[:2])
    return "built in" if file.startswith(("~", "<")) else "standard library"


def row(name: str, drilled: Sequence[Drilled]) -> str:
    """Medians of some drills of one checkout."""

    def mid(get: Callable[[Drilled], float]) -> float:
        return median(map(get, drilled))

    asked = drilled[0].asked
    return (
        f"{name:<10} wall {mid(lambda d: d.wall_s):6.2f} s = {mid(lambda d: d.ratio):.2f} x ideal;"
        f" wiki {asked['wiki']} ({asked['wiki pages']} for pages, {asked['wiki searches']} "
        "searches),"
        f" search {asked['search']}; model calls {asked['model']},"
        f" {asked['model'] / drilled[0].scored:.2f} per scored probe;"
        f" CPU {mid(lambda d: d.cpu_s * 1000 / d.asked['model']):.2f} ms per call with start and "
        "end;"
        f" first call {mid(lambda d: d.first_call_s):.2f} s, end {mid(lambda d: d.end_s):.2f} s;"
        f" {mid(lambda d: d.rss_mb):.0f} MB; result "
        f"{' '.join(dict.fromkeys(d.result for d in drilled))}"
    )


def main(chosen: argparse.Namespace) -> None:
    checkouts = {"this": Path(__file__).parents[1]} | (
        {"beside": chosen.beside} if chosen.beside else {}
    )
    with ExitStack() as stack:
        kept = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        command = [
            sys.executable,
            str(SERVICES),
            f"--latency={chosen.latency}",
            f"--jitter={chosen.jitter}",
            f"--size={chosen.size}",
            f"--wiki={chosen.wiki}",
        ]
        server = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
        stack.callback(server.terminate)
        assert server.stdout is not None
        urls = json.loads(server.stdout.readline())
        for connections in chosen.connections:
            found: dict[str, list[Drilled]] = {name: [] for name in checkouts}
            for turn in range(chosen.rounds):
                for name, checkout in checkouts.items():
                    own = kept / f"{connections}-{turn}-{name}"
                    found[name].append(
                        drill(checkout, urls, connections, chosen.depth, chosen.latency, own)
                    )
            print(f"{connections} connections to a source; load {os.getloadavg()[0]:.1f}")
            for name, drilled in found.items():
                print(" ", row(name, drilled), flush=True)
        for name, checkout in checkouts.items() if chosen.layers else ():
            print(f"CPU by layer, {name}:")
            layers(checkout, urls, chosen.latency, kept / f"layers-{name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--connections", type=int, nargs="+", default=[3, 8, 32], help="FATHOM_FACT_CONNECTIONS"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument(
        "--latency", type=float, default=0.2, help="seconds, of models and sources"
    )
    parser.add_argument(
        "--jitter", type=float, default=0.0, help="seconds on top of it at most"
    )
    parser.add_argument(
        "--size", type=int, default=23_600, help="mean length of an article in characters"
    )
    parser.add_argument("--wiki", choices=("shaped", "mediawiki"), default="shaped")
    parser.add_argument(
        "--beside", type=Path, help="another checkout (with its .pkg), drilled in turn"
    )
    parser.add_argument("--layers", action="store_true", help="also CPU per call by package")
    main(parser.parse_args())
