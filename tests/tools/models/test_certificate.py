"""A certificate that nobody here vouches for is named as such, at once."""

import ssl
import subprocess
from pathlib import Path

import pytest
from aiohttp import web
from tests.support.model_server import FakeTime, ask, clients_at

from fathom.state.errors import EndpointUnreachable
from fathom.tools.doctor import reach


@pytest.fixture
def certificate(tmp_path: Path) -> ssl.SSLContext:
    key, made = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext "
        "subjectAltName=IP:127.0.0.1"
    )
    subprocess.run(
        [*words.split(), "-keyout", str(key), "-out", str(made)],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return context


async def test_a_self_signed_certificate_is_named(certificate: ssl.SSLContext) -> None:
    runner = web.AppRunner(web.Application())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=certificate).start()
    url, time = f"https://127.0.0.1:{runner.addresses[0][1]}/v1", FakeTime()
    try:
        async with clients_at(time) as clients:
            with pytest.raises(
                EndpointUnreachable,
                match=r"not trusted here \(self-signed certificate\).*SSL_CERT_FILE",
            ):
                await clients.get(f"vllm@{url}:m").complete(ask())
        assert time.slept == []
        with pytest.raises(EndpointUnreachable, match="self-signed certificate"):
            await reach(f"{url}/models")
    finally:
        await runner.cleanup()
