"""Start what a configuration describes: the database, the first administrator, and one node process or several."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import shlex
import signal
import socket
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import msgspec
import structlog
import uvloop

from duetime.api.auth.passwords import hash_password
from duetime.config import Config, mask_dsn
from duetime.postgres.pool import Pool
from duetime.store.postgres.accounts import PostgresAccounts
from duetime.store.postgres.server import untested
from duetime.wiring import logs
from duetime.wiring.bootstrap import ADMIN, PASSWORD_FILE, first_admin, ignored_password, signing_key
from duetime.wiring.data_directory import keeps_data, locked
from duetime.wiring.database import open_database, with_pool
from duetime.wiring.identity import check_cluster, measured_clock
from duetime.wiring.migrations import migrate_and_register
from duetime.wiring.node import Node
from duetime.wiring.parent import end_with_parent
from duetime.wiring.supervisor import supervise
from duetime.wiring.web import bind

log = structlog.get_logger()
CHECK_DATABASE_EVERY = timedelta(seconds=1)


class NodeOrder(msgspec.Struct, frozen=True):
    """What a parent process sends to each node process that it starts."""

    config: Config
    dsn: str
    port: int
    parent: int
    key: str


def run_configured(config: Config, program: str = "duetime") -> int:
    """Start everything and serve until a signal comes. Returns the exit code. `program` is how a shell starts it."""
    logs.configure(config.log_level, config.log_format)
    with ExitStack() as stack:
        data = stack.enter_context(locked(config.data)) if keeps_data(config) else config.data
        config = msgspec.structs.replace(config, data=data)
        listener = bind(config.host, config.port)
        stack.callback(listener.close)
        port = listener.getsockname()[1]
        dsn, restart_if_ended = open_database(config, data, stack)
        given = os.environ.get("DUETIME_ADMIN_PASSWORD") or None
        serves_api = "api" in config.roles
        key = _signing_key(config) if serves_api else ""
        password = with_pool(dsn, lambda pool: _prepare(pool, config, data, given))
        _print_start(config, port, password, program)

        def announce() -> None:
            print(f"ready http://{_in_url(config.host)}:{port}", flush=True)  # noqa: T201

        if config.processes == 1:
            return _run_here(config, dsn, listener, key, announce, restart_if_ended)
        listener.close()
        reserved = bind(config.host, port, shared=True)
        stack.callback(reserved.close)
        order = msgspec.json.encode(NodeOrder(config, dsn, port, os.getpid(), key), enc_hook=str)
        return supervise(order, config.processes, config.grace, announce, restart_if_ended)


def serve_node(order_text: bytes, announce: Callable[[], None]) -> int:
    """Run one node process of several, as the parent's order says. Returns the exit code."""
    order = msgspec.json.decode(order_text, type=NodeOrder, dec_hook=lambda kind, value: kind(value))
    end_with_parent(order.parent)
    logs.configure(order.config.log_level, order.config.log_format)
    listener = bind(order.config.host, order.port, shared=True)
    return _run_here(order.config, order.dsn, listener, order.key, announce)


def migrate_databases(config: Config) -> list[str]:
    """Bring the schema of every database up to date. Returns the names of the applied migrations."""
    with ExitStack() as stack:
        data = stack.enter_context(locked(config.data))
        dsn = open_database(config, data, stack).dsn
        return with_pool(dsn, lambda pool: migrate_and_register(config, pool))


def _run_here(
    config: Config,
    dsn: str,
    listener: socket.socket,
    key: str,
    announce: Callable[[], None],
    restart_if_ended: Callable[[], bool] = lambda: False,
) -> int:
    return uvloop.run(_run_node(Node(config, dsn, listener, key), announce, restart_if_ended))


async def _run_node(node: Node, announce: Callable[[], None], restart_if_ended: Callable[[], bool]) -> int:
    stop_requested = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop_requested.set)
    _raise_open_files_limit()
    await node.start()
    _collect_garbage_less_often()
    announce()
    while not await node.clock.wait(stop_requested, node.clock.now() + CHECK_DATABASE_EVERY):
        if restart_if_ended():
            log.error("the embedded database ended and was started again")
    log.info("stopping: running jobs are finished or handed back")
    await node.stop()
    return 0


def _raise_open_files_limit() -> None:
    """Raise the limit of open files to the highest allowed: every slot can be a connection."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _collect_garbage_less_often() -> None:
    """Hot paths make many small values and no reference cycles, so that searching for cycles often is wasted work."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _signing_key(config: Config) -> str:
    return signing_key(config.data, config.signing_key_file, os.environ.get("DUETIME_SIGNING_KEY"))


async def _prepare(pool: Pool, config: Config, data: Path, given: str | None) -> str | None:
    """Migrate, check the cluster and the clock, and on an API node create the first administrator.

    Returns the administrator's password if it was generated.
    """
    for name in await migrate_and_register(config, pool):
        log.debug("applied migration", name=name)
    await check_cluster(pool, config, data)
    accounts, clock = PostgresAccounts(pool), await measured_clock(pool, config)
    async with pool.acquired() as connection:
        if note := untested(connection.get_server_version().major):
            log.warning(note)
    if "api" not in config.roles:
        return None

    async def create(password: str) -> None:
        await accounts.create_user(ADMIN, hash_password(password), 1.0, "admin", clock.now(), None)

    generated = await first_admin(accounts, data, given, create)
    if ignored := await ignored_password(accounts, given):
        log.warning(ignored)
    return generated


def _print_start(config: Config, port: int, password: str | None, program: str) -> None:
    where = f"http://{_in_url(config.host)}:{port}"
    lines = [
        f"Duetime listens on {where} (the API is described at /docs)."
        if "api" in config.roles
        else f"This {' and '.join(config.roles)} answers /healthz, /readyz and /metrics on {where}."
    ]
    if config.home is None:
        lines.append(f"Its data is in {config.data}.")
    elif keeps_data(config):
        lines.append(f"Its data is in {config.data}, its database is {_databases(config)}.")
    else:
        lines.append(f"Its database is {_databases(config)}.")
    if "executor" in config.roles and config.labels:
        lines.append(f"Its labels are {', '.join(f'{name}={value}' for name, value in config.labels.items())}.")
    if "executor" in config.roles:
        lines += _targets(config)
    if config.open_signup and "api" in config.roles:
        lines.append("Anyone who can reach it may sign up (signup = open).")
    if password is not None:
        lines.append(f"The administrator is {ADMIN!r} with the password {password}")
        lines.append(f"(shown once; kept in {config.data / PASSWORD_FILE}, readable by you only).")
    if "api" in config.roles:
        lines += _how_to_log_in(config, port, program)
    print("\n".join(lines), flush=True)  # noqa: T201


def _targets(config: Config) -> list[str]:
    """Which HTTP targets besides public ones runs of this node may call."""
    opened = config.outgoing.allow_private
    lines = [f"HTTP targets may be in {', '.join(opened)} (outgoing.allow_private)."] if opened else []
    if config.loopback_targets and config.outgoing.allow_loopback == "auto":
        lines.append("HTTP targets may be on this machine (loopback), because only this machine can reach Duetime.")
    elif config.loopback_targets:
        lines.append("HTTP targets may be on this machine (outgoing.allow_loopback).")
    elif not opened:
        lines.append(
            "HTTP targets must have public addresses: outgoing.allow_private and outgoing.allow_loopback open others."
        )
    return lines


def _how_to_log_in(config: Config, port: int, program: str) -> list[str]:
    """The commands for another terminal on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(config.host, config.host)  # noqa: S104 - it is not bound here
    kept = config.data / PASSWORD_FILE
    stdin = f" --password-stdin < {shlex.quote(str(kept))}" if kept.exists() else ""
    login = f"  {program} login --username {ADMIN}{stdin}"
    if (host, port) == (Config().host, Config().port):
        return ["In another terminal:", login]
    return ["In another terminal:", f"  export DUETIME_SERVER=http://{_in_url(host)}:{port}", login]


def _databases(config: Config) -> str:
    return ", ".join(mask_dsn(one.dsn) for one in config.databases) or mask_dsn(config.home or "")


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
