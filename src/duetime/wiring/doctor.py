"""`duetime check`: everything that must be well before `up` can work, looked at without changing anything."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from duetime.clock.system import SystemClock
from duetime.config import Config, mask_dsn
from duetime.model.errors import DuetimeError
from duetime.model.finding import Finding
from duetime.store.postgres.migrate import state
from duetime.store.postgres.pool import Pool
from duetime.wiring.data_directory import locked, unusable
from duetime.wiring.database import open_database, with_pool
from duetime.wiring.identity import check_clock, check_identity
from duetime.wiring.web import bind


def doctor(config: Config) -> list[Finding]:
    """Look, in the order in which a start would; the first thing that fails ends the look."""
    findings: list[Finding] = []
    with ExitStack() as stack:
        try:
            findings.append(Finding("roles", True, f"This node plays {', '.join(config.roles)}."))
            data = _data_directory(config.data, stack)
            findings.append(Finding("data directory", True, f"{config.data.expanduser().absolute()} can be used."))
            bind(config.host, config.port).close()
            findings.append(Finding("address", True, f"{config.host}:{config.port} is free."))
            dsn = open_database(config, data, stack).dsn
            findings += with_pool(dsn, lambda pool: _look_at_database(pool, dsn, config, data))
            for number, one in enumerate(config.databases[1:], 1):
                findings += _look_at_another(number, one.dsn, config)
        except DuetimeError as error:
            findings.append(Finding("start", False, error.message))
    return findings


def _data_directory(path: Path, stack: ExitStack) -> Path:
    """The data directory; where there is none yet, one where it would be made, that goes away again."""
    data = path.expanduser().absolute()
    if data.exists():
        return stack.enter_context(locked(data))
    try:
        beside = next(parent for parent in data.parents if parent.exists())
        return Path(stack.enter_context(TemporaryDirectory(prefix=".duetime-check-", dir=beside)))
    except OSError as error:
        raise unusable(data, error) from None


def _look_at_another(number: int, dsn: str, config: Config) -> list[Finding]:
    """One database of several beside the home. One that is away is a finding, not the end of the look."""
    try:
        found = with_pool(dsn, lambda pool: _look_at_database(pool, dsn, config, None))
    except DuetimeError as error:
        return [Finding(f"database {number}", False, f"{mask_dsn(dsn)}: {error.message}")]
    return [Finding(f"{one.name} {number}", one.ok, one.text) for one in found if one.name != "clock"]


async def _look_at_database(pool: Pool, dsn: str, config: Config, data: Path | None) -> list[Finding]:
    clock = SystemClock(pool.clock)
    await clock.measure()
    check_clock(clock, config)
    schema = await state(pool)
    if data is not None and not schema.pending:
        await check_identity(pool, config, data, join=False)
    row = await pool.row("SHOW server_version")
    version = row[0] if row else "of unknown version"
    rest = "; 'duetime migrate' or 'duetime up' applies the rest." if schema.pending else "."
    return [
        Finding("database", True, f"{mask_dsn(dsn)} answers: PostgreSQL {version}."),
        Finding("schema", True, f"At migration {schema.version} of {schema.newest}{rest}"),
        Finding(
            "clock",
            True,
            f"The database's clock is read within {clock.error * 1000:.2f} ms; this machine's is "
            f"{abs(clock.skew):.1f} s {'ahead' if clock.skew > 0 else 'behind'}.",
        ),
    ]
