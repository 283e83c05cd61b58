"""A PostgreSQL database as Fathom uses one: its address, and what is told of it when it cannot be
used. An address may hold a password: it is in no message."""

from ..state.errors import UsageError, install

CONNECT_S = 10
"""How long a database may take to answer."""
UNREADABLE = "its address cannot be read (special characters of a password are written as %XX)"
REASONS = {
    "password": "it refuses the user or the password",
    "does not exist": "it has no such user or database",
    "permission denied": "the user may not make tables in it",
    "connection refused": "nobody listens at its address",
    "timeout": "it does not answer",
    "translate host name": "its host is unknown",
    "resolve host": "its host is unknown",
    "could not extend": "its disk is full",
    "no space left": "its disk is full",
    "closed": "the connection was closed",
    "terminating connection": "the connection was closed",
    "shutting down": "it is being shut down",
    "percent-encoded": UNREADABLE,
    "connection option": UNREADABLE,
    "connection info": UNREADABLE,
}
"""Part of what the database says, in small letters → what is told of it."""


def extra_missing(option: str) -> UsageError:
    """The sentence for an option that takes an address, where no driver is installed."""
    return UsageError(f"{option} postgresql://… needs the extra: {install('postgres')}.")


def unusable(database: str, option: str, error: Exception) -> UsageError:
    """The sentence about a database (“database of the runs”) that could not be opened."""
    return UsageError(
        f"The {database} cannot be used: {reason(error)}. Check the address of {option}, and that "
        "the server is"
        " running."
    )


def patient(address: str, **usual: str | int) -> str:
    """The address with a limit to the time a server may take to answer, and with what else is
    usual, where it names none itself. Raises psycopg.Error when it cannot be read."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    parts = conninfo_to_dict(address)
    if (
        not str(parts.get("port") or 0).replace(",", "").isdigit()
    ):  # a password with a slash ends up there
        raise ProgrammingError("no number in the connection option port")
    return make_conninfo(
        address,
        **{
            "connect_timeout": CONNECT_S,
            **usual,
            **parts,
        },
    )


def reason(error: BaseException) -> str:
    """In our own words: the database's may quote the address, and with it the password."""
    message = str(error).lower()
    return next(
        (words for part, words in REASONS.items() if part in message), type(error).__name__
    )
