"""What can be said without asking anybody: versions, folders, cache, settings, keys."""

import platform
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from ... import __version__
from ...state.errors import UsageError
from ..env import env_notices, find_env
from ..offline import host_of
from ..redact import broken_key
from .finding import KEY_VARIABLES, Finding, Level

DISTRIBUTION = "fathom-eval"
_EXTRAS = {
    "pdf": ("pypdf", "PDF files in folder:PATH"),
    "postgres": ("langgraph-checkpoint-postgres", "checkpoints in PostgreSQL"),
    "zim": ("libzim", "offline encyclopedias as zim:FILE"),
}
_SHOWN = (
    "langgraph",
    "langchain-core",
    "langchain-openai",
    "aiohttp",
    "wikipedia-api",
    "tavily-python",
)
_LITTLE_B, _TOO_LITTLE_B = 1_000_000_000, 50_000_000
_PLACEHOLDER = re.compile(r"\.\.\.|…|<.*>|your[-_ ]|xxxx|changeme|placeholder", re.IGNORECASE)
_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


def versions() -> list[Finding]:
    """Python, Fathom and the libraries it stands on, against what it was made for; extras that are
    missing."""
    return [
        _libraries(),
        *(_extra(name, package, brings) for name, (package, brings) in _EXTRAS.items()),
    ]


def _libraries() -> Finding:
    subject = f"Fathom {__version__} on Python {platform.python_version()}"
    shown = ", ".join(f"{name} {found}" for name in _SHOWN if (found := _installed(name)))
    try:
        odd = list(_unmet(requires(DISTRIBUTION) or ()))
    except PackageNotFoundError:
        return Finding(
            "versions",
            subject,
            "warning",
            f"not installed as {DISTRIBUTION}, so its needs are not known",
        )
    if not odd:
        return Finding("versions", subject, "ok", shown)
    missing = any("missing" in text for text in odd)
    advice = f"reinstall it: pip install {DISTRIBUTION}"
    return Finding("versions", subject, "failure" if missing else "warning", ", ".join(odd), advice)


def _unmet(needs: Iterable[str]) -> Iterator[str]:
    """What Fathom asks for, its extras left out, and this environment lacks or has in another
    version."""
    from packaging.requirements import Requirement

    for text in needs:
        need = Requirement(text)
        if need.marker is not None and not need.marker.evaluate({"extra": ""}):
            continue
        found = _installed(need.name)
        if found is None:
            yield f"{need.name} is missing"
        elif not need.specifier.contains(found, prereleases=True):
            yield f"{need.name} is {found}, made for {need.specifier}"


def _extra(name: str, package: str, brings: str) -> Finding:
    found = _installed(package)
    subject = f"extra [{name}]"
    if found:
        return Finding("versions", subject, "ok", f"{package} {found}")
    advice = f"pip install '{DISTRIBUTION}[{name}]' if you want that"
    return Finding("versions", subject, "warning", f"not installed; it brings {brings}", advice)


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def disk(folder: Path, what: str) -> Finding:
    """Whether there is room in a folder, and whether it can be written to; it is not made where it
    is missing."""
    place = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    if not place.is_dir():
        return Finding(
            "disk", what, "failure", f"{place} is a file, not a folder", "name another folder"
        )
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
        free = shutil.disk_usage(place).free
    except OSError as error:
        said = f"nothing can be written in {place} ({error.strerror})"
        return Finding("disk", what, "failure", said, "fix the permissions, or name another folder")
    level: Level = "ok" if free >= _LITTLE_B else "warning" if free >= _TOO_LITTLE_B else "failure"
    new = "" if place == folder.absolute() else ", which the first run makes"
    advice = "" if level == "ok" else "make room: a run keeps everything it hears"
    return Finding("disk", what, level, f"{folder}{new}; {free / 1e9:.1f} GB free", advice)


def cache(env: Mapping[str, str]) -> list[Finding]:
    """The cache and the folder it is in."""
    from ..cache.database import cache_path
    from ..cache.upkeep import cache_info

    path = cache_path(env)
    place = disk(path.parent, "folder of the cache")
    if place.level == "failure":
        return [place]
    try:
        info = cache_info(path)
    except UsageError as error:
        return [place, Finding("cache", "cache", "failure", str(error))]
    if not info.exists:
        return [
            place,
            Finding("cache", "cache", "ok", f"{path} does not exist yet: nothing is kept so far"),
        ]
    replies, lookups = (
        sum(r.replies for r in info.replies),
        sum(row.lookups for row in info.lookups),
    )
    said = f"{path}, {info.size_bytes / 1e6:.1f} MB: {replies} replies, {lookups} look-ups"
    return [place, Finding("cache", "cache", "ok", said)]


def settings(env: Mapping[str, str], process: Mapping[str, str], folder: Path) -> list[Finding]:
    """Where settings come from, and a proxy that stands between this machine and everything
    else."""
    dotenv = find_env(folder)
    source = (
        f"the environment and {dotenv}"
        if dotenv
        else "the environment; there is no .env file here or above"
    )
    found = [Finding("settings", "settings", "ok", f"read from {source}")]
    found += [Finding("settings", ".env", "ok", said) for said in env_notices(folder, env)]
    proxy = next((name for name in _PROXIES if process.get(name, "").strip()), None)
    if proxy is not None:
        through = _proxy_host(process[proxy])
        said = (
            f"{proxy} sends what goes beyond this machine through {through}; what stays on it "
            "goes straight"
        )
        found.append(Finding("settings", "proxy", "warning", said))
    elif set_in_file := next((name for name in _PROXIES if env.get(name, "").strip()), None):
        said = f"{set_in_file} stands in .env, where it has no effect"
        found.append(Finding("settings", "proxy", "warning", said, "set it in the environment"))
    return found


def _proxy_host(url: str) -> str:
    return host_of(url if "//" in url else f"//{url}")


def keys(env: Mapping[str, str], needed: Iterable[str] = ()) -> list[Finding]:
    """Keys by the names of their variables, never by value: those that are set, those that look
    wrong. `needed`: variables that the models named are asked with; what is wrong with those stands
    in the way."""
    wanted = set(needed)
    there = [name for name in KEY_VARIABLES if env.get(name, "").strip()]
    odd = {
        name: fault for name in there if (fault := _doubtful(env[name]) or broken_key(env[name]))
    }
    found: list[Finding] = []
    for name, fault in odd.items():
        level: Level = "failure" if name in wanted and broken_key(env[name]) else "warning"
        found.append(Finding("keys", name, level, f"looks wrong: {fault}", "set it again"))
    good = [name for name in there if name not in odd]
    if good:
        found.append(Finding("keys", "keys", "ok", f"set: {', '.join(good)}"))
    elif not there:
        said = "none is set; models on this machine, Wikipedia and the simulated world need none"
        found.append(Finding("keys", "keys", "ok", said))
    return found


def _doubtful(value: str) -> str | None:
    """Why a value is hardly a key."""
    key = value.strip()
    if _PLACEHOLDER.search(key):
        return "it looks like a placeholder"
    return "it is an address" if key.lower().startswith(("http:", "https:")) else None
