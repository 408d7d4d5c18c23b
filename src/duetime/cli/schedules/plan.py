"""What applying a set of schedules would change: shows it, asks, and does it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Applied, Client, FieldChange

Deletions = Callable[["Client", set[str]], Awaitable[list["Applied"]]]
"""Finds the schedules to delete, given the names of those that are applied."""


def apply_entries(
    entries: list[dict[str, Any]],
    server: str | None,
    *,
    prune: str | None = None,
    deletions: Deletions | None = None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Shows what would change in the user's schedules, asks, and changes it. `dry_run` only shows."""
    if as_json and not (yes or dry_run):
        raise UsageError("With --json no question is asked: add --dry-run to see what would change, or --yes to do it.")

    async def work(client: Client) -> list[Applied]:
        # The server refuses an empty set, in which there is nothing to create or to change.
        plan = await client.apply_schedules(entries, dry_run=True, prune=prune) if entries else []
        if deletions is not None:
            plan += await deletions(client, {one.name for one in plan})
        if not as_json:
            _print_plan(plan, entries)
        changes = [one for one in plan if one.action != "keep"]
        if dry_run or not changes:
            return plan
        if not yes:
            confirm(_question(changes))
        done = await client.apply_schedules(entries) if entries else []
        return done + await _delete(client, plan)

    done = call(server, work)
    if as_json:
        for one in done:
            print_json(one)
    else:
        print_line(_summary(done, dry_run=dry_run, deletes=prune is not None or deletions is not None))


def _print_plan(plan: list[Applied], entries: list[dict[str, Any]]) -> None:
    given = {one.get("name"): one for one in entries}
    for one in plan:
        print_line(f"{one.action:<6}  {one.name}")
        if one.action == "create":
            _print_fields([(name, _value(value)) for name, value in given[one.name].items() if name != "name"])
        elif one.action == "change":
            _print_fields([(change.field, _both_values(change)) for change in one.changes])


def _print_fields(fields: list[tuple[str, str]]) -> None:
    width = max((len(name) for name, _ in fields), default=0)
    for name, text in fields:
        print_line(f"        {name:<{width}}  {text}")


def _both_values(change: FieldChange) -> str:
    if change.before == change.after:
        return f"{_value(change.after)} (its credentials or the end of its text differ)"
    return f"{_value(change.before)} -> {_value(change.after)}"


def _value(value: Any) -> str:
    """Returns a value as JSON, so that text, numbers and nothing look different."""
    import msgspec

    return "none" if value is None else msgspec.json.encode(_hidden(value)).decode()


def _hidden(value: Any) -> Any:
    """Returns a target of the file without its credentials: what a command prints may be kept in a log."""
    import msgspec

    from duetime.model.targets import Target

    if not isinstance(value, dict) or "kind" not in value:
        return value
    try:
        return msgspec.convert(value, Target).redacted()
    except msgspec.ValidationError:
        return value


async def _delete(client: Client, plan: list[Applied]) -> list[Applied]:
    """Deletes the schedules that the plan showed, and none that was created with such a name since."""
    from duetime.client import ApiError

    deleted = [one for one in plan if one.action == "delete"]
    for one in deleted:
        try:
            await client.delete_schedule(one.id or 0)
        except ApiError as error:
            if error.status != 404:
                raise
    return deleted


def _question(changes: list[Applied]) -> str:
    deleted = sum(one.action == "delete" for one in changes)
    others = len(changes) - deleted
    parts = [f"create or change {others}"] if others else []
    parts += [f"delete {deleted}"] if deleted else []
    return f"{' and '.join(parts).capitalize()} schedules?"


def _summary(done: list[Applied], *, dry_run: bool, deletes: bool) -> str:
    count = Counter(one.action for one in done)
    if dry_run:
        deleted = f", delete {count['delete']}" if deletes else ""
        return f"Would create {count['create']}, change {count['change']}, keep {count['keep']}{deleted}."
    deleted = f", deleted {count['delete']}" if deletes else ""
    return f"Created {count['create']}, changed {count['change']}, kept {count['keep']}{deleted}."
