"""`duetime check`: checks everything that `duetime up` needs, and changes nothing."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from duetime.clock.system import SystemClock
from duetime.config import Config, mask_dsn
from duetime.model.errors import DuetimeError
from duetime.postgres.pool import Pool
from duetime.store.postgres.migrate import state
from duetime.wiring.data_directory import locked, unusable
from duetime.wiring.database import open_database, with_pool
from duetime.wiring.identity import check_clock, check_cluster
from duetime.wiring.web import bind


class Finding(Struct, frozen=True):
    """The result of one check, with a sentence for the person who runs it."""

    name: str
    ok: bool
    text: str


def doctor(config: Config) -> list[Finding]:
    """Check in the order of a start. The first failure is the last finding."""
    findings: list[Finding] = []
    with ExitStack() as stack:
        try:
            findings.append(Finding("roles", True, f"This node's roles are {', '.join(config.roles)}."))
            data = _data_directory(config.data, stack)
            findings.append(Finding("data directory", True, f"{config.data.expanduser().absolute()} can be used."))
            bind(config.host, config.port).close()
            findings.append(Finding("address", True, f"{config.host}:{config.port} is free."))
            dsn = open_database(config, data, stack).dsn
            findings += with_pool(dsn, lambda pool: _check_database(pool, dsn, config, data))
            for number, one in enumerate(config.databases[1:], 1):
                findings += _check_further_database(number, one.dsn, config)
        except DuetimeError as error:
            findings.append(Finding("start", False, error.message))
    return findings


def _data_directory(path: Path, stack: ExitStack) -> Path:
    """The data directory, locked. If there is none yet: a temporary one where it would be created."""
    data = path.expanduser().absolute()
    if data.exists():
        return stack.enter_context(locked(data))
    try:
        beside = next(parent for parent in data.parents if parent.exists())
        return Path(stack.enter_context(TemporaryDirectory(prefix=".duetime-check-", dir=beside)))
    except OSError as error:
        raise unusable(data, error) from None


def _check_further_database(number: int, dsn: str, config: Config) -> list[Finding]:
    """Check one of several databases besides the home one. If it cannot be reached, the checks still go on."""
    try:
        found = with_pool(dsn, lambda pool: _check_database(pool, dsn, config, None))
    except DuetimeError as error:
        return [Finding(f"database {number}", False, f"{mask_dsn(dsn)}: {error.message}")]
    return [Finding(f"{one.name} {number}", one.ok, one.text) for one in found if one.name != "clock"]


async def _check_database(pool: Pool, dsn: str, config: Config, data: Path | None) -> list[Finding]:
    clock = SystemClock(pool.clock)
    await clock.measure()
    check_clock(clock, config)
    schema = await state(pool)
    if data is not None and not schema.pending:
        await check_cluster(pool, config, data, join=False)
    row = await pool.row("SHOW server_version")
    version = row[0] if row else "of unknown version"
    rest = "; 'duetime migrate' or 'duetime up' applies the rest." if schema.pending else "."
    return [
        Finding("database", True, f"{mask_dsn(dsn)} answers: PostgreSQL {version}."),
        Finding("schema", True, f"At migration {schema.version} of {schema.newest}{rest}"),
        Finding(
            "clock",
            True,
            f"The database's clock is known to within {clock.error * 1000:.2f} ms; this machine's clock is "
            f"{abs(clock.skew):.1f} s {'ahead' if clock.skew > 0 else 'behind'}.",
        ),
    ]
