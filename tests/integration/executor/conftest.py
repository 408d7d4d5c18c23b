"""A certificate for servers of the tests."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate that nobody signed but itself, for the name `localhost` alone."""
    directory = tmp_path_factory.mktemp("tls")
    key, made = directory / "key.pem", directory / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    extra = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(made)]
    subprocess.run([*command.split(), *extra], check=True, capture_output=True)
    return made, key


@pytest.fixture
def server_tls(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    return context
