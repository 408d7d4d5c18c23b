"""`duetime audit`: who changed what, and whether the record of it is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson, MostShown, Server
from duetime.cli.shared.output import print_json, print_line, print_list
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import AuditChain, Client
    from duetime.client import AuditEntry as Shown
    from duetime.client import AuditLink as ShownLink
    from duetime.model.audit import AuditLink

PAGE = 1000
audit = typer.Typer(
    no_args_is_help=True, help="Read who changed what, and check that nothing was altered.", epilog=EPILOG
)
AllUsers = Annotated[
    bool, typer.Option("--all-users", help="The changes of all users. For admins.", show_default=False)
]
Action = Annotated[
    str | None, typer.Option(metavar="TEXT", help="How the action begins, such as schedule.", show_default=False)
]
Subject = Annotated[
    str | None, typer.Option(metavar="SUBJECT", help="What was changed, such as job:1025.", show_default=False)
]


@audit.command(
    "list",
    epilog="""\b
Examples:
  duetime audit list
  duetime audit list --all-users --action user.
  duetime audit list --subject schedule:1029 --json""",
)
def list_entries(
    all_users: AllUsers = False,
    action: Action = None,
    subject: Subject = None,
    limit: MostShown = 100,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List changes, newest first."""
    print_list(
        _entries(server, all_users=all_users, action=action, subject=subject, limit=limit),
        ("id", "at", "actor", "origin", "action", "subject", "details"),
        lambda one: (one.id, one.at, one.actor or "-", one.origin or "-", one.action, one.subject, one.details or "-"),
        as_json=as_json,
        empty="No change is on record.",
    )


@audit.command(
    epilog="""Each line is one change as JSON, newest first.

\b
Examples:
  duetime audit export > changes.ndjson
  duetime audit export --all-users > changes.ndjson"""
)
def export(
    all_users: AllUsers = False,
    action: Action = None,
    subject: Subject = None,
    server: Server = None,
    as_json: Annotated[bool, typer.Option("--json", help="One list instead of lines.", show_default=False)] = False,
) -> None:
    """Print every change as a line of JSON."""
    found = _entries(server, all_users=all_users, action=action, subject=subject, limit=None)
    if as_json:
        print_json(found)
        return
    for one in found:
        print_json(one)


@audit.command(
    epilog="""Each change is sealed by a link of a chain, a few seconds after it. An entry that was edited, removed or
slipped in later shows. Keep the printed head somewhere else: with --expect, a chain that was built again shows too.

\b
Examples:
  duetime audit verify
  duetime audit verify --expect 9f2c""",
)
def verify(
    expect: Annotated[
        str | None,
        typer.Option(
            metavar="HASH", help="A head that an earlier check printed, or its beginning.", show_default=False
        ),
    ] = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Check the chain over all changes. For admins."""
    checked, breaks, chain = call(server, lambda client: _verify(client, expect))
    if as_json:
        print_json({"links": checked, "breaks": breaks, "head": chain.hash, "unsealed": chain.unsealed})
    else:
        for sentence in breaks:
            print_line(sentence)
        outcome = "is whole" if not breaks else f"is broken in {len(breaks)} places"
        print_line(f"The audit {outcome}: {checked} links checked, {chain.unsealed} changes not sealed yet.")
        print_line(f"Head: {chain.hash}")
    if breaks:
        raise typer.Exit(1)


def _entries(
    server: str | None, *, all_users: bool, action: str | None, subject: str | None, limit: int | None
) -> list[Shown]:
    async def work(client: Client) -> list[Shown]:
        found = client.audit(all_users=all_users, action=action, subject=subject, limit=limit)
        return [one async for one in found]

    return call(server, work)


async def _verify(client: Client, expect: str | None) -> tuple[int, list[str], AuditChain]:
    """Go through the chain. Returns how many links there are, what does not fit, and the chain's end."""
    from duetime.model.audit import FIRST_HASH, AuditHead, find_breaks

    checked, last, breaks, met = 0, 0, list[str](), expect is None
    before: bytes | None = None
    while True:
        chain = await client.audit_chain(last, limit=PAGE)
        if not checked and chain.links and chain.links[0].number == 1:
            before = FIRST_HASH
        links = [_link(one) for one in chain.links]
        head = AuditHead(chain.number, bytes.fromhex(chain.hash), chain.unsealed, chain.kept_from)
        breaks += find_breaks(before, links, head)
        if checked and links and links[0].number != last + 1:
            breaks.append(f"The chain has a gap before link {links[0].number}.")
        met = met or any(expect is not None and one.hash.startswith(expect.lower()) for one in chain.links)
        checked += len(links)
        if len(links) < PAGE:
            break
        last, before = links[-1].number, links[-1].hash
    if links and links[-1].hash != head.hash:
        breaks.append("The chain ends before its head: links are missing.")
    if chain.unlinked:
        breaks.append(f"{chain.unlinked} entries before the end of the chain are sealed by no link.")
    if not met:
        breaks.append(f"No link has the expected hash {expect}: the chain is not the one that was checked before.")
    return checked, breaks, chain


def _link(one: ShownLink) -> AuditLink:
    from duetime.model.audit import AuditEntry, AuditLink

    fields = AuditEntry.__struct_fields__
    entry = None if one.entry is None else AuditEntry(*(getattr(one.entry, name) for name in fields))
    return AuditLink(one.number, bytes.fromhex(one.hash), one.at, one.entry_id, entry)
