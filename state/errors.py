"""Every error Fathom raises on purpose, as one tree.

    FathomError
    ├── UsageError              refused before any call: exit 2 (a ValueError too)
    ├── BudgetSpent             no further call fits the budget: what was admitted is kept, exit 3
    ├── RunFailed               a run cannot go on: exit 1 (a RuntimeError too)
    │   ├── EndpointRefused     wrong key, no such model: the endpoint will not serve this run
    │   ├── EndpointUnreachable the endpoint never answered
    │   └── DomainNotFound      the domain has no page, or too few aspects
    ├── CallFailed              one model call failed after its retries: the probe is unscored
    ├── ReplyUnreadable         a reply not readable even after one repair: the probe is unscored
    └── SourceFailed            a fact source failed after its retries: the look-up is unscored

Each message is one sentence or two: what went wrong, why, what to do. No message holds a key.
"""


def install(extra: str) -> str:
    """How an extra is installed, as the end of a sentence."""
    return f"in Fathom's repository, pip install -c constraints.txt '.[{extra}]'"


class FathomError(Exception):
    """Base of all errors that Fathom raises on purpose."""


class UsageError(FathomError, ValueError):
    """The request cannot be right (unknown provider, missing key, N < 1): refused before anything
    is spent."""


class BudgetSpent(FathomError):
    """No further call fits the budget. The run ends as `partial`, and can be resumed with a larger
    one."""


class RunFailed(FathomError, RuntimeError):
    """The run cannot go on, for a reason outside the model's knowledge."""


class EndpointRefused(RunFailed):
    """The endpoint answered that it will not serve these calls: wrong key, no such model, no
    permission."""


class EndpointUnreachable(RunFailed):
    """The endpoint has never answered: wrong address, server down, network closed."""


class DomainNotFound(RunFailed):
    """The domain has no page in its source, or the evaluator named too few aspects of it."""


class CallFailed(FathomError):
    """One model call failed after its retries. `kind`: timeout, rate_limit, server, connection or
    bad_request."""

    def __init__(self, kind: str, message: str, *, attempts: int = 1) -> None:
        super().__init__(message)
        self.kind = kind
        self.attempts = attempts


class ReplyUnreadable(FathomError):
    """A reply could not be read, even after one repair. `kind`: parse, empty, thoughts, refusal,
    cut_off or content_filter."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class SourceFailed(FathomError):
    """A fact source failed after its retries. `kind`: timeout, rate_limit, server, connection or
    bad_reply."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
