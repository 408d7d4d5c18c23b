"""`duetime artifacts`: push, list, show and remove what jobs run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.exits import EPILOG, UsageError
from duetime.cli.shared.options import AsJson, Server, Yes
from duetime.cli.shared.output import print_json, print_line, print_list
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Artifact, ArtifactVersion, Client

artifacts = typer.Typer(no_args_is_help=True, help="Upload programs once, and let jobs run them.", epilog=EPILOG)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The artifact's name.", show_default=False)]


@artifacts.command(
    epilog="""Jobs name it as NAME@latest, or as NAME@sha256:… for this version for good.

\b
Examples:
  duetime artifacts push ./job.tar.gz --name nightly
  duetime artifacts push ./report.py --name report
  duetime jobs create "" --artifact nightly@latest --run './run --all'""",
    no_args_is_help=True,
)
def push(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to upload.", show_default=False)],
    name: Annotated[str, typer.Option(metavar="NAME", help="The artifact's name, such as nightly.")],
    unpack: Annotated[
        bool | None,
        typer.Option(
            "--unpack/--no-unpack",
            help="Whether executors unpack it. Default: if its name ends in .tar, .tar.gz, .tgz, .tar.bz2 or .tar.xz.",
        ),
    ] = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Upload a file as the latest version of an artifact."""
    if not file.is_file():
        raise UsageError(f"There is no file '{file}'.")

    async def work(client: Client) -> ArtifactVersion:
        return await client.push_artifact(file, name, unpack=unpack)

    version = call(server, work)
    if as_json:
        print_json(version)
    else:
        print_line(f"Pushed {version.reference} ({version.size} bytes).")


@artifacts.command(
    "list",
    epilog="""\b
Examples:
  duetime artifacts list""",
)
def list_artifacts(server: Server = None, as_json: AsJson = False) -> None:
    """List your artifacts."""

    async def work(client: Client) -> list[Artifact]:
        return await client.artifacts()

    print_list(
        call(server, work),
        ("name", "versions", "bytes", "latest", "pushed at"),
        lambda one: (one.name, one.versions, one.bytes, one.latest.digest, one.latest.pushed_at),
        as_json=as_json,
        empty="You have no artifacts. Push one with 'duetime artifacts push'.",
    )


@artifacts.command(
    epilog="""\b
Examples:
  duetime artifacts show nightly""",
    no_args_is_help=True,
)
def show(name: Name, server: Server = None, as_json: AsJson = False) -> None:
    """Show the versions of an artifact, the latest first."""

    async def work(client: Client) -> list[ArtifactVersion]:
        return await client.artifact(name)

    print_list(
        call(server, work),
        ("reference", "bytes", "file", "unpacked", "pushed at"),
        lambda one: (one.reference, one.size, one.filename, "yes" if one.unpack else "no", one.pushed_at),
        as_json=as_json,
    )


@artifacts.command(
    epilog="""NAME removes all versions, NAME@sha256:… or NAME@latest one.

\b
Examples:
  duetime artifacts remove nightly@latest
  duetime artifacts remove nightly --force --yes""",
    no_args_is_help=True,
)
def remove(
    reference: Annotated[str, typer.Argument(metavar="NAME[@VERSION]", help="What to remove.", show_default=False)],
    force: Annotated[
        bool, typer.Option("--force", help="Even if jobs or schedules name it.", show_default=False)
    ] = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Remove versions of an artifact."""
    if not yes:
        confirm(f"Remove {reference}?")

    async def work(client: Client) -> list[str]:
        return await client.remove_artifact(reference, force=force)

    removed = call(server, work)
    if as_json:
        print_json({"removed": removed})
    else:
        print_line(f"Removed {len(removed)} version{'' if len(removed) == 1 else 's'}.")
