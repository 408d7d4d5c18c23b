"""`duetime check`: applies the checks of `duetime up`, goes on after one that fails, and changes nothing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from duetime.config import Config, mask_dsn
from duetime.model.errors import DuetimeError
from duetime.postgres.pool import Pool
from duetime.store.postgres.accounts import PostgresAccounts
from duetime.store.postgres.migrate import state
from duetime.store.postgres.offers import PostgresOffers
from duetime.store.postgres.register import check_alone
from duetime.store.postgres.server import untested
from duetime.wiring.bootstrap import check_first_password, key_print, known_signing_key
from duetime.wiring.coordinator import check_etcd
from duetime.wiring.data_directory import keeps_data, locked, unusable
from duetime.wiring.database import open_database, with_pool
from duetime.wiring.identity import check_cluster, check_keys, measured_clock
from duetime.wiring.web import bind


class Finding(Struct, frozen=True):
    """The result of one check, with a sentence for the person who runs it."""

    name: str
    ok: bool
    text: str


class Findings:
    """What was found so far, in the order of a start."""

    def __init__(self) -> None:
        self.all: list[Finding] = []

    def passed(self, name: str, text: str) -> None:
        """Add a check that passed."""
        self.all.append(Finding(name, True, text))

    def failed(self, name: str, text: str) -> None:
        """Add a check that failed."""
        self.all.append(Finding(name, False, text))

    @contextmanager
    def checking(self, name: str) -> Generator[None]:
        """Within the block, an error is the result of this check. Those that follow are still carried out."""
        try:
            yield
        except DuetimeError as error:
            self.failed(name, error.message)


def doctor(config: Config) -> list[Finding]:
    """Check everything that a start checks. Returns all findings, whether they are good or bad."""
    found = Findings()
    with ExitStack() as stack:
        found.passed("roles", f"This node's roles are {', '.join(config.roles)}.")
        data = _data_directory(found, config, stack)
        with found.checking("address"):
            bind(config.host, config.port).close()
            found.passed("address", f"{config.host}:{config.port} is free.")
        if config.coordinator == "etcd":
            with found.checking("coordinator"):
                asyncio.run(check_etcd(config.etcd))
                found.passed("coordinator", f"etcd answers at {', '.join(config.etcd.endpoints)}.")
        key = _signing_key(found, config, data)
        if data is None and config.home is None:
            found.failed("database", "The embedded server was not checked: its files are in the data directory.")
            return found.all
        with found.checking("database"):
            dsn = open_database(config, data or config.data, stack).dsn
            with_pool(dsn, lambda pool: _check_database(found, pool, config, data, key))
        for number, one in enumerate(config.databases[1:], 1):
            with found.checking(f"database {number}"):
                with_pool(one.dsn, lambda pool, number=number: _check_schema(found, pool, f" {number}"))
    return found.all


def _data_directory(found: Findings, config: Config, stack: ExitStack) -> Path | None:
    """The data directory, locked. If there is none yet: a temporary one where it would be created."""
    path = config.data.expanduser().absolute()
    if not keeps_data(config):
        return path
    with found.checking("data directory"):
        data = stack.enter_context(locked(path)) if path.exists() else _temporary(path, stack)
        found.passed("data directory", f"{path} can be used.")
        return data
    return None


def _temporary(path: Path, stack: ExitStack) -> Path:
    try:
        beside = next(parent for parent in path.parents if parent.exists())
        return Path(stack.enter_context(TemporaryDirectory(prefix=".duetime-check-", dir=beside)))
    except OSError as error:
        raise unusable(path, error) from None


def _signing_key(found: Findings, config: Config, data: Path | None) -> str | None:
    with found.checking("signing key"):
        if "api" in config.roles and data is not None:
            return known_signing_key(data, config.signing_key_file, os.environ.get("DUETIME_SIGNING_KEY"))
    return None


async def _check_schema(found: Findings, pool: Pool, number: str = "") -> bool:
    """Check the server and its schema. Returns whether the schema is up to date."""
    schema = await state(pool)
    async with pool.acquired() as connection:
        version = connection.get_server_version().major
    row = await pool.row("SHOW server_version")
    answers = f"{mask_dsn(pool.dsn)} answers: PostgreSQL {row[0] if row else version}."
    found.passed(f"database{number}", " ".join(filter(None, (answers, untested(version)))))
    rest = "; 'duetime migrate' or 'duetime up' applies the rest." if schema.pending else "."
    found.passed(f"schema{number}", f"At migration {schema.version} of {schema.newest}{rest}")
    return not schema.pending


async def _check_database(found: Findings, pool: Pool, config: Config, data: Path | None, key: str | None) -> None:
    complete = await _check_schema(found, pool)
    with found.checking("clock"):
        clock = await measured_clock(pool, config)
        found.passed(
            "clock",
            f"The database's clock is known to within {clock.error * 1000:.2f} ms; this machine's clock is "
            f"{abs(clock.skew):.1f} s {'ahead' if clock.skew > 0 else 'behind'}.",
        )
    if complete:
        with found.checking("cluster"):
            if not config.several:
                await check_alone(pool)
            await check_cluster(pool, config, data or config.data, join=False)
    if "api" in config.roles:
        with found.checking("administrator"):
            if not complete or not await PostgresAccounts(pool).users(1, 0):
                check_first_password(os.environ.get("DUETIME_ADMIN_PASSWORD") or None)
        with found.checking("signing key"):
            if complete and key is not None:
                check_keys(await PostgresOffers(pool).other_keys(key_print(key)))
