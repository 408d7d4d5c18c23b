"""`ArtifactStore` on PostgreSQL, with every change audited."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from duetime.model.artifact import MAX_NAMES, ArtifactSummary, ArtifactVersion, NewVersion, Upload
from duetime.model.errors import OverLimit
from duetime.postgres.pool import Connection, Pool
from duetime.store.postgres.audit import record
from duetime.store.postgres.queries import sql

_FIELDS: Final = ("name", "digest", "size", "filename", "unpack", "pushed_at", "content")
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


class PostgresArtifacts:
    """`ArtifactStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def begin(
        self, user_id: int, version: NewVersion, key: str, expires_at: datetime, most: int, now: datetime, actor: int
    ) -> ArtifactVersion | Upload:
        """Let a content be uploaded, or push a version whose content is there."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("artifacts.lock_user"), user_id)
            usage = await connection.fetchrow(sql("artifacts.usage"), user_id, version.name)
            if usage["names"] >= MAX_NAMES:
                raise OverLimit(f"You may have {MAX_NAMES} artifacts: remove one first.")
            same = await connection.fetchval(sql("artifacts.same_content"), user_id, version.digest)
            if same is not None:
                return await _push(connection, user_id, version, same, now, actor)
            if usage["bytes"] + version.size > most:
                raise OverLimit(
                    f"Your artifacts may have {most} bytes together, and have {usage['bytes']}: remove versions first.",
                    limit=most,
                )
            await connection.execute(sql("artifacts.begin"), key, user_id, version.digest, version.size, expires_at)
        return Upload(key, version.digest, version.size, expires_at)

    async def upload(self, user_id: int, key: str) -> Upload | None:
        """Returns an upload."""
        row = await self._pool.row(sql("artifacts.upload"), key, user_id)
        return None if row is None else Upload(row["key"], row["digest"], row["size"], row["expires_at"] or _NEVER)

    async def push(
        self, user_id: int, version: NewVersion, key: str, now: datetime, actor: int
    ) -> ArtifactVersion | None:
        """Make a version of an upload."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("artifacts.lock_user"), user_id)
            if await connection.fetchrow(sql("artifacts.uploaded"), key, user_id, now) is None:
                return None
            return await _push(connection, user_id, version, key, now, actor)

    async def version(self, user_id: int, name: str, digest: str | None) -> ArtifactVersion | None:
        """Returns a version."""
        if digest is None:
            row = await self._pool.row(sql("artifacts.latest"), user_id, name)
        else:
            row = await self._pool.row(sql("artifacts.version"), user_id, name, digest)
        return None if row is None else _version(row)

    async def versions(self, user_id: int, name: str) -> list[ArtifactVersion]:
        """Returns all versions."""
        return [_version(row) for row in await self._pool.rows(sql("artifacts.versions"), user_id, name)]

    async def list(self, user_id: int) -> list[ArtifactSummary]:
        """Returns the artifacts of a user."""
        rows = await self._pool.rows(sql("artifacts.list"), user_id)
        return [ArtifactSummary(_version(row), row["versions"], row["bytes"]) for row in rows]

    async def named(self, user_id: int, references: Sequence[str]) -> set[str]:
        """Returns which references are named."""
        return {row[0] for row in await self._pool.rows(sql("artifacts.naming"), user_id, list(references))}

    async def remove(
        self, user_id: int, name: str, digests: Sequence[str], now: datetime, actor: int | None
    ) -> list[str]:
        """Remove versions."""
        async with self._pool.transaction() as connection:
            rows = await connection.fetch(sql("artifacts.remove"), user_id, name, list(digests))
            await connection.execute(sql("artifacts.expire_unused"), user_id, now)
            for row in rows:
                await _record(connection, now, actor, "artifact.removed", user_id, name, row["digest"])
        return [row["digest"] for row in rows]

    async def unused(self, before: datetime, limit: int) -> list[str]:
        """Returns contents without a version."""
        return [row["key"] for row in await self._pool.rows(sql("artifacts.unused"), before, limit)]

    async def forget(self, keys: Sequence[str]) -> None:
        """Remove rows of contents."""
        await self._pool.run(sql("artifacts.forget"), list(keys))


async def _push(
    connection: Connection, user_id: int, version: NewVersion, key: str, now: datetime, actor: int
) -> ArtifactVersion:
    given = version.name, version.digest, key, version.filename, version.unpack
    await connection.execute(sql("artifacts.push"), user_id, *given, now)
    await connection.execute(sql("artifacts.expire_unused"), user_id, now)
    await _record(connection, now, actor, "artifact.pushed", user_id, version.name, version.digest)
    row = await connection.fetchrow(sql("artifacts.version"), user_id, version.name, version.digest)
    return _version(row)


async def _record(
    connection: Connection, now: datetime, actor: int | None, action: str, user_id: int, name: str, digest: str
) -> None:
    await record(connection, now, actor, action, f"artifact:{name}", {"digest": digest}, owner=user_id)


def _version(row: Any) -> ArtifactVersion:
    return ArtifactVersion(**{name: row[name] for name in _FIELDS})
