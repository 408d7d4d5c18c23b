"""`duetime users set`: a user's share, limits, quotas and shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.shared.exits import Usage
from duetime.cli.shared.finding import find
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_facts, print_json
from duetime.cli.shared.parsing import pairs
from duetime.cli.shared.parsing import rate as parse_rate
from duetime.cli.shared.parsing import shards as parse_shards
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, User

SET_EXAMPLES = """What is not given stays. Needs an admin.

\b
Examples:
  duetime users set ada --weight 3
  duetime users set ada --max-concurrency 20 --rate 10/second --burst 50
  duetime users set ada --quota-pending 100000 --quota-requests 50
  duetime users set ada --pin 0-15,64
  duetime users set ada --require zone=eu
  duetime users set ada --no-limits --no-quotas --spread"""


def set_user(
    user: Annotated[str, typer.Argument(help="The user's name or id.", show_default=False)],
    weight: Annotated[float | None, typer.Option(min=0, help="The share of this user's jobs.")] = None,
    max_concurrency: Annotated[int | None, typer.Option(min=1, help="How many of its jobs run at once.")] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="N/UNIT", help="How many start per second, minute or hour: 10/second.")
    ] = None,
    burst: Annotated[int | None, typer.Option(min=1, help="With --rate: how many of them at once.")] = None,
    no_limits: Annotated[bool, typer.Option("--no-limits", help="Take its limits away.", show_default=False)] = False,
    quota_pending: Annotated[int | None, typer.Option(min=0, help="How many jobs it may have waiting.")] = None,
    quota_schedules: Annotated[int | None, typer.Option(min=0, help="How many schedules it may have.")] = None,
    quota_payload: Annotated[
        int | None, typer.Option(min=0, metavar="BYTES", help="The largest message of one job.")
    ] = None,
    quota_requests: Annotated[float | None, typer.Option(min=0.001, help="How many requests a second.")] = None,
    no_quotas: Annotated[bool, typer.Option("--no-quotas", help="Take its quotas away.", show_default=False)] = False,
    pin: Annotated[
        str | None, typer.Option(metavar="SHARDS", help="The shards that its unordered jobs go to: 0-15,64.")
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A label that executors of its jobs must have. May be repeated."),
    ] = None,
    spread: Annotated[
        bool, typer.Option("--spread", help="Over all shards again, to any executor.", show_default=False)
    ] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change a user's share, limits, quotas, or where its jobs go."""
    limits = _given(max_concurrency=max_concurrency, **parse_rate(rate, "--rate"), burst=burst)
    quotas = _given(
        pending_jobs=quota_pending,
        schedules=quota_schedules,
        payload_bytes=quota_payload,
        requests_per_second=quota_requests,
    )
    if (no_limits and limits) or (no_quotas and quotas) or (spread and (pin is not None or require)):
        raise Usage("Something is both set and taken away.")
    if pin is not None and require:
        raise Usage("A user's jobs go either to some shards (--pin) or to some executors (--require).")
    distribution = {"kind": "spread"} if spread else None
    if pin is not None:
        distribution = {"kind": "pin", "shards": parse_shards(pin, "--pin")}
    if require:
        distribution = {"kind": "labels", "labels": pairs(require, "=", "--require")}

    async def work(client: Client) -> User:
        found = await find_user(client, user)
        change: dict[str, Any] = {} if weight is None else {"job_weight": weight}
        if limits or no_limits:
            change["limits"] = None if no_limits else {**_given(**(found.limits or {})), **limits}
        if quotas or no_quotas:
            change["quotas"] = None if no_quotas else {**(found.quotas or {}), **quotas}
        if distribution is not None:
            change["distribution"] = distribution
        return await client.set_user(found.id, **change)

    changed = call(server, work)
    if as_json:
        print_json(changed)
    else:
        print_facts([(name.replace("_", " "), getattr(changed, name)) for name in changed.__struct_fields__])


async def find_user(client: Client, name: str) -> User:
    """A user by name, else by id."""
    return await find("user", client.users(), name, lambda user: user.username)


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
