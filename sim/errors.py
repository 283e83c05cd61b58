"""What a door of the simulated world refuses."""


class BadRequest(Exception):
    """A request that is answered with an error: the HTTP status, and a code where the protocol has
    one."""

    def __init__(self, message: str, status: int = 400, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
