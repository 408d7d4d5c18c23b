"""What an executor keeps of artifacts: compared, shared by runs, and bounded."""

from __future__ import annotations

import asyncio
import hashlib
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from duetime.artifacts.directory import DirectoryContents
from duetime.executor.targets.shell.artifacts.cache import ArtifactCache, CacheBounds
from duetime.model.artifact import ArtifactVersion, Upload
from duetime.model.errors import ConfigError, Invalid, NotFound

AT = datetime(2030, 1, 1, tzinfo=UTC)


class Counted(DirectoryContents):
    """Counts what is fetched."""

    fetched = 0

    async def fetch(self, content: str, digest: str, size: int, to: Path) -> None:
        self.fetched += 1
        await super().fetch(content, digest, size, to)


@pytest.fixture
def contents(tmp_path: Path) -> Counted:
    return Counted(tmp_path / "store")


def cache_of(contents: Counted, tmp_path: Path, bounds: CacheBounds | None = None) -> ArtifactCache:
    return ArtifactCache(tmp_path / "cache", contents, bounds or CacheBounds())


async def pushed(contents: Counted, data: bytes, *, unpack: bool = False, filename: str = "job") -> ArtifactVersion:
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    key = f"1/{digest[7:]}-{len(data)}"

    async def parts():
        yield data

    await contents.write(Upload(key, digest, len(data), AT + timedelta(hours=1)), parts())
    return ArtifactVersion("nightly", digest, len(data), filename, unpack, AT, key)


async def test_runs_share_what_was_fetched_once(contents: Counted, tmp_path: Path) -> None:
    version, cache = await pushed(contents, b"echo hi"), cache_of(contents, tmp_path)

    async def use() -> str:
        async with cache.held(version) as path:
            await asyncio.sleep(0)
            return (path / "job").read_text()

    assert await asyncio.gather(*(use() for _ in range(5))) == ["echo hi"] * 5
    assert contents.fetched == 1
    async with cache_of(contents, tmp_path).held(version) as path:
        assert (path / "job").stat().st_mode & 0o777 == 0o555
    assert contents.fetched == 1, "another process of the machine shares the directory"


async def test_an_archive_is_unpacked_and_a_hostile_one_refused(contents: Counted, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("#!/bin/sh")
    (tmp_path / "run").chmod(0o755)
    with tarfile.open(tmp_path / "good.tgz", "w:gz") as archive:
        archive.add(tmp_path / "run", "bin/run")
    with tarfile.open(tmp_path / "evil.tgz", "w:gz") as archive:
        archive.add(tmp_path / "run", "../run")
    cache = cache_of(contents, tmp_path)
    good = await pushed(contents, (tmp_path / "good.tgz").read_bytes(), unpack=True)
    async with cache.held(good) as path:
        assert (path / "bin/run").stat().st_mode & 0o777 == 0o555
    evil = await pushed(contents, (tmp_path / "evil.tgz").read_bytes(), unpack=True)
    with pytest.raises(Invalid, match="leaves the directory"):
        async with cache.held(evil):
            pass
    left = {one.name for one in (tmp_path / "cache").iterdir() if one.is_dir()}
    assert left == {good.digest[7:]}, "nothing of the other is left"


async def test_a_content_that_was_changed_or_removed_is_never_used(contents: Counted, tmp_path: Path) -> None:
    changed, gone = await pushed(contents, b"one"), await pushed(contents, b"two!")
    (tmp_path / "store" / changed.content).write_bytes(b"ONE")
    await contents.remove(gone.content)
    cache = cache_of(contents, tmp_path)
    with pytest.raises(Invalid, match="digest"):
        async with cache.held(changed):
            pass
    with pytest.raises(NotFound):
        async with cache.held(gone):
            pass


async def test_the_least_used_is_removed_but_nothing_that_a_run_uses(contents: Counted, tmp_path: Path) -> None:
    cache = cache_of(contents, tmp_path, CacheBounds(bytes=250))
    versions = [await pushed(contents, bytes([n]) * 100, filename=f"f{n}") for n in range(4)]

    def kept() -> list[bool]:
        return [(tmp_path / "cache" / f"{one.digest[7:]}-{one.filename}").is_dir() for one in versions]

    async with cache.held(versions[0]):
        for one in versions[1:3]:
            async with cache.held(one):
                pass
        assert kept() == [True, False, True, False], "the first is in use, the second was used longest ago"
    async with cache.held(versions[3]):
        pass
    assert kept() == [False, False, True, True]


async def test_a_directory_of_another_user_is_not_trusted(contents: Counted, tmp_path: Path) -> None:
    version, cache = await pushed(contents, b"x"), cache_of(contents, tmp_path)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    with pytest.raises(ConfigError, match="Other users could change"):
        async with cache.held(version):
            pass
