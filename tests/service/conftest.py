import pytest

from fathom.service import child

from ..support.programs import Programs, children_of_a_server


@pytest.fixture(autouse=True)
def _forked_children(monkeypatch: pytest.MonkeyPatch, programs: Programs) -> None:
    """What a service in this process starts costs no start."""
    monkeypatch.setattr(child, "create_subprocess_exec", children_of_a_server(programs))
