"""Artifacts in the store: versions by content, quotas, and contents that are never forgotten nor removed too early."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from contract.store.place import NOW, Audited, Place, at
from duetime.model.artifact import ArtifactVersion, NewVersion, Upload
from duetime.model.definition import Definition
from duetime.model.errors import OverLimit
from duetime.model.targets.shell import ShellTarget
from duetime.store.artifact_port import ArtifactStore

ONE, TWO = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"
MOST = 1000


@pytest.fixture
def artifacts(place: Place) -> ArtifactStore:
    if place.stores.artifacts is None:
        pytest.skip("a simulation runs no programs")
    return place.stores.artifacts


def new(digest: str = ONE, name: str = "nightly", size: int = 100, **more: Any) -> NewVersion:
    return NewVersion(name, digest, size, **{"filename": "job", "unpack": False, **more})


async def pushed(
    place: Place, artifacts: ArtifactStore, version: NewVersion, key: str, now: datetime = NOW
) -> ArtifactVersion:
    begun = await artifacts.begin(place.user, version, key, at(100), MOST, now, place.user)
    assert isinstance(begun, Upload)
    made = await artifacts.push(place.user, version, key, now, place.user)
    assert made is not None
    return made


async def test_a_version_exists_after_its_upload_and_the_last_one_is_the_latest(
    place: Place, artifacts: ArtifactStore
) -> None:
    user = place.user
    begun = await artifacts.begin(user, new(), "k1", at(60), MOST, NOW, user)
    assert begun == Upload("k1", ONE, 100, at(60)) == await artifacts.upload(user, "k1")
    assert await artifacts.version(user, "nightly", None) is None
    first = await artifacts.push(user, new(), "k1", at(1), user)
    assert first == ArtifactVersion("nightly", ONE, 100, "job", False, at(1), "k1")
    assert await artifacts.push(user, new(), "k1", at(1), user) == first, "a repeat is harmless"
    known = await artifacts.upload(user, "k1")
    assert known is not None
    assert known.expires_at == datetime.max.replace(tzinfo=UTC)
    second = await pushed(place, artifacts, new(TWO), "k2", at(2))
    assert await artifacts.version(user, "nightly", None) == second
    assert await artifacts.version(user, "nightly", ONE) == first
    assert await artifacts.versions(user, "nightly") == [second, first]
    again = await artifacts.begin(user, new(), "k3", at(60), MOST, at(3), user)
    assert isinstance(again, ArtifactVersion), "the content is there"
    assert [one.digest for one in await artifacts.versions(user, "nightly")] == [ONE, TWO]
    (listed,) = await artifacts.list(user)
    assert (listed.latest, listed.versions, listed.bytes) == (again, 2, 200)
    assert (await place.audit())[-1] == Audited(user, "artifact.pushed", "artifact:nightly")


async def test_an_upload_that_has_expired_or_is_another_users_makes_no_version(
    place: Place, artifacts: ArtifactStore
) -> None:
    stranger = await place.new_user()
    await artifacts.begin(place.user, new(), "k1", at(60), MOST, NOW, place.user)
    assert await artifacts.push(stranger, new(), "k1", NOW, stranger) is None
    assert await artifacts.upload(stranger, "k1") is None
    assert await artifacts.push(place.user, new(), "k1", at(61), place.user) is None
    assert await artifacts.version(stranger, "nightly", None) is None
    assert await artifacts.versions(stranger, "nightly") == await artifacts.list(stranger) == []


async def test_uploads_count_against_the_quota(place: Place, artifacts: ArtifactStore) -> None:
    await artifacts.begin(place.user, new(size=600), "k1", at(60), MOST, NOW, place.user)
    with pytest.raises(OverLimit):
        await artifacts.begin(place.user, new(TWO, size=401), "k2", at(60), MOST, NOW, place.user)
    await artifacts.begin(place.user, new(TWO, size=400), "k2", at(60), MOST, NOW, place.user)


async def test_contents_without_a_version_are_found_and_forgotten(place: Place, artifacts: ArtifactStore) -> None:
    user = place.user
    await artifacts.begin(user, new(TWO, "other"), "never", at(5), MOST, NOW, user)
    await pushed(place, artifacts, new(), "k1")
    shared = await artifacts.begin(user, new(name="copy"), "unused", at(60), MOST, NOW, user)
    assert isinstance(shared, ArtifactVersion)
    assert await artifacts.unused(at(4), 10) == []
    assert await artifacts.unused(at(6), 10) == ["never"]
    assert await artifacts.remove(user, "nightly", [ONE, TWO], at(7), user) == [ONE]
    assert await artifacts.unused(at(1000), 10) == ["never"], "the copy has the content"
    assert await artifacts.remove(user, "copy", [ONE], at(8), None) == [ONE]
    assert await artifacts.unused(at(1000), 10) == ["never", "k1"]
    await artifacts.forget(["never", "k1"])
    assert await artifacts.unused(at(1000), 10) == []
    await pushed(place, artifacts, new(), "k2")
    await artifacts.forget(["k2"])
    assert await artifacts.version(user, "nightly", None) is not None, "what has a version stays"


async def test_what_jobs_name_is_known(place: Place, artifacts: ArtifactStore) -> None:
    names = [f"nightly@{ONE}", f"nightly@{TWO}", "nightly@", "night@"]
    assert await artifacts.named(place.user, names) == set()
    await place.intern(Definition(ShellTarget(command=("./run",), artifact=f"nightly@{ONE}")))
    await place.intern(Definition(ShellTarget(command=("x",), env={"a": f'"artifact":"nightly@{TWO}'})))
    assert await artifacts.named(place.user, names) == {f"nightly@{ONE}", "nightly@"}
    assert await artifacts.named(await place.new_user(), names) == set()
