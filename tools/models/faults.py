"""What an endpoint's bad answer means: come back later, never come back, or this request is
wrong."""

import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from ...state.errors import EndpointRefused
from ..net import Keys, timestamp, told_wait_s

RETRIED_STATUS: Mapping[int, str] = {
    408: "timeout",
    409: "server",
    425: "server",
    429: "rate_limit",
}
"""Statuses below 500 that are worth another attempt, with their kind; from 500 on all are."""

REFUSED_STATUS: Mapping[int, str] = {
    401: "the key is wrong or missing",
    402: "the account has no credit left",
    403: "the key has no permission for it",
    404: "there is no such model or no such address",
    405: "the address is not a chat endpoint",
}
KEY_STATUS = frozenset({401, 402, 403})
"""Refusals in which the key plays a part."""
_OUT_OF_CREDIT = {
    "insufficient_quota",
    "billing_hard_limit_reached",
    "exceeded_current_quota_error",
}
_FILTERED = re.compile(
    r"content_filter|content_policy|content management policy|input was flagged", re.IGNORECASE
)
_SPOILT = "json_validate_failed"
"""Groq's code for a sample that is not the JSON asked for; it comes as a 400 although the request
was right."""
_NO_ROOM = re.compile(r"max(?:imum)?[ _](?:completion[ _])?tokens", re.IGNORECASE)
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|d|h|m|s)")
_SECONDS: Mapping[str, float] = {
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
}
_SECRET = re.compile(
    r"\b(?:sk|gsk|pk|rk|key|tvly|xai|hf)[-_][\w\-*.]{4,}|\bAIza[\w-]{8,}|(?i:bearer)\s+[^\s\"',}]+"
)


class AttemptFailed(Exception):
    """One attempt failed. Stays inside the client: after the last attempt it becomes a CallFailed.

    `kind` as in CallFailed; `retry_after_s` when the endpoint named a time; `unreached`: no
    connection came about.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        retryable: bool = True,
        retry_after_s: float | None = None,
        unreached: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.unreached = unreached


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An HTTP response as it came; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What an error body says. `names`: the parameters it points at, if it does."""

    message: str
    codes: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    status: int | None = None
    """A status named inside the body, as OpenRouter does under HTTP 200."""
    rejected_json: str | None = None
    """What the model wrote, perhaps nothing, when the endpoint held it back because it is not the
    JSON asked for."""

    @property
    def cut_off(self) -> bool:
        """Whether a rejected sample ended at the token limit."""
        return _NO_ROOM.search(self.message) is not None

    @property
    def out_of_credit(self) -> bool:
        return not self.codes.isdisjoint(_OUT_OF_CREDIT)

    @property
    def filtered(self) -> bool:
        return any(_FILTERED.search(part) for part in (*self.codes, self.message))


def redact(text: str, keys: Keys = None) -> str:
    """The text without the keys themselves and without anything that looks like one."""
    for key in (keys,) if isinstance(keys, str) else keys or ():
        if len(key) >= 4:
            text = text.replace(key, "[key]")
    return _SECRET.sub("[key]", text)


def error_body_of(raw: HttpResponse, key: Keys = None) -> ErrorBody:
    """Read an error body: OpenAI's form, FastAPI's `detail`, a bare message, or whatever text
    stands there."""
    # no JSON, no object, or nested beyond reason
    with suppress(orjson.JSONDecodeError, TypeError, RecursionError):
        return _from_body(orjson.loads(raw.body.removeprefix(BOM_UTF8)), key)
    text = re.sub(r"<[^>]*>|\s+", " ", raw.body[:2000].decode("utf-8", "replace"))
    return ErrorBody(_beginning_of(" ".join(text.split()), key))


def _from_body(body: object, key: Keys) -> ErrorBody:
    if not isinstance(body, dict):
        raise TypeError("no object")
    error = body.get("error") or body.get("detail") or body
    if isinstance(error, list):
        return _from_validation(error, key)
    if not isinstance(error, dict):
        return ErrorBody(_beginning_of(str(error), key))
    return _from_error(error, key)


def _from_error(error: Mapping[str, Any], key: Keys) -> ErrorBody:
    """OpenAI's form; OpenRouter puts under `metadata` what the provider behind it said, itself
    often such an error."""
    message = str(
        error.get("message") or error.get("detail") or orjson.dumps(error, default=str).decode()
    )
    codes = {str(error[name]) for name in ("code", "type") if error.get(name)}
    names = {str(error["param"])} if error.get("param") else set()
    rejected_json = _text(error.get("failed_generation")) if _SPOILT in codes else None
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and (metadata.get("raw") or metadata.get("provider_name")):
        provider = error_body_of(
            HttpResponse(0, {}, _text(metadata.get("raw")).encode("utf-8", "replace")), key
        )
        message = (
            f"{message} ({metadata.get('provider_name') or 'provider'}: "
            f"{provider.message or 'no further word'})"
        )
        # it is the go-between's account that is empty, not the user's
        codes |= provider.codes - _OUT_OF_CREDIT
        names |= provider.names
        rejected_json = provider.rejected_json if rejected_json is None else rejected_json
    code = error.get("code")
    status = code if isinstance(code, int) and not isinstance(code, bool) else None
    return ErrorBody(
        _beginning_of(message, key), frozenset(codes), frozenset(names), status, rejected_json
    )


def _text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return orjson.dumps(value, default=str).decode()


def _from_validation(errors: list[Any], key: Keys) -> ErrorBody:
    """`{"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}`."""
    entries = [entry for entry in errors if isinstance(entry, dict)]
    locations = [_listed(entry.get("loc")) for entry in entries]
    names = frozenset(str(part) for location in locations for part in location)
    text = "; ".join(str(entry.get("msg", "")) for entry in entries)
    kinds = frozenset(str(entry.get("type")) for entry in entries)
    return ErrorBody(_beginning_of(text, key), kinds, names)


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []


def status_of(raw: HttpResponse, complaint: ErrorBody) -> int:
    """The status that counts: the one named inside the body where HTTP says that all is well."""
    return complaint.status if raw.status < 300 and complaint.status else raw.status


def failure_of(
    raw: HttpResponse,
    body: ErrorBody,
    where: str,
    wall_s: float,
    max_wait_s: float,
) -> AttemptFailed | EndpointRefused:
    """What a response that is no completion means. `where` names model and endpoint in the message;
    no key is in it."""
    status = status_of(raw, body)
    reason = f"{where} answered {status}"
    reason += f": {body.message.rstrip('.')}" if body.message else ""
    if body.out_of_credit:
        return EndpointRefused(
            f"{reason}. The account has no credit left: top it up or use another key."
        )
    if 300 <= status < 400:
        target = _short(raw.headers.get("location", "another address").split("?")[0])
        return EndpointRefused(
            f"{reason}. The endpoint has moved to {target}: name that address."
        )
    wait_s = retry_after(raw.headers, wall_s, max_wait_s)
    failure = failure_by_status(
        status,
        reason,
        wait_s,
        is_explained=bool(body.message),
    )
    return failure or AttemptFailed("server", reason)


def failure_by_status(
    status: int,
    reason: str,
    wait_s: float | None,
    *,
    is_explained: bool,
) -> AttemptFailed | EndpointRefused | None:
    """What an HTTP status from 400 on means; None below. `is_explained`: the endpoint has said
    why, and a guess beside its words would only mislead."""
    if status in REFUSED_STATUS:
        guess = f" It seems that {REFUSED_STATUS[status]}: check model, address and key."
        return EndpointRefused(f"{reason}.{'' if is_explained else guess}")
    if status in RETRIED_STATUS or status >= 500:
        kind = RETRIED_STATUS.get(status, "server")
        return AttemptFailed(kind, reason, retry_after_s=wait_s)
    return AttemptFailed("bad_request", reason, retryable=False) if status >= 400 else None


def retry_after(
    headers: Mapping[str, str],
    wall_s: float,
    max_wait_s: float,
) -> float | None:
    """Seconds to wait, between 0 and `max_wait_s`; None: not said.

    From `retry-after-ms`, else Retry-After in seconds or as an HTTP date, else OpenAI's
    `x-ratelimit-reset-…`. A date is read against the response's own Date header when there is one,
    so that a clock that is off does no harm.
    """
    for read in (_told_ms, _told_s, _told_reset):
        seconds = read(headers, wall_s)
        if seconds is not None:
            return min(max(seconds, 0.0), max_wait_s)
    return None


def _told_ms(headers: Mapping[str, str], _wall_s: float) -> float | None:
    value = headers.get("retry-after-ms", "").strip()
    return float(value) / 1000 if re.fullmatch(r"\d+(\.\d+)?", value) else None


def _told_s(headers: Mapping[str, str], wall_s: float) -> float | None:
    sent_s = timestamp(headers.get("date", ""))
    return told_wait_s(headers.get("retry-after", ""), wall_s if sent_s is None else sent_s)


def _told_reset(headers: Mapping[str, str], _wall_s: float) -> float | None:
    """Until the allowance that is used up is whole again; the longer time when it is not said which
    one is."""
    waits, used_up = list[float](), list[float]()
    for kind in ("requests", "tokens"):
        wait_s = _span_s(headers.get(f"x-ratelimit-reset-{kind}", ""))
        if wait_s is not None:
            waits.append(wait_s)
            if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0":
                used_up.append(wait_s)
    return max(used_up or waits, default=None)


def _span_s(text: str) -> float | None:
    """`1s`, `6m0s`, `20ms`, `2m59.56s` in seconds; None for anything else."""
    parts = _SPAN.findall(text.strip())
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def _beginning_of(text: str, key: Keys) -> str:
    """The beginning of what an endpoint said, without keys: megabytes are not searched for them."""
    return _short(redact(text[:4000], key))


def _short(text: str, most: int = 400) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
