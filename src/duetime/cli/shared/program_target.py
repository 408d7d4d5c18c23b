"""The options that make a job a program."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from duetime.cli.shared.option_values import parse_pairs

Run = Annotated[
    str | None,
    typer.Option(
        metavar="COMMAND",
        help="Run this program, such as 'backup --all', on an executor that allows it. Quotes group words; no shell "
        "reads the command.",
    ),
]
Env = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="A variable of the program. Needs --run. May be repeated."),
]
Artifact = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[@VERSION]",
        help="The artifact that has the program, such as nightly@latest. Needs --run './program'. Default: @latest.",
    ),
]
Cwd = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Where the program runs. Needs --run. Default: a new, empty directory."),
]


def build_program_target(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the target that --run describes; None without it."""
    if given["run"] is None:
        alone = [f"--{name}" for name in ("env", "cwd", "artifact") if given[name] not in (None, [])]
        if alone:
            raise typer.BadParameter(f"{alone[0]} needs a --run.", param_hint="--run")
        return None
    if any(given[name] is not None for name in ("url", "queue", "kafka_topic")):
        raise typer.BadParameter("a job has one target: --run, --url, --queue or --kafka-topic.", param_hint="--run")
    try:
        words = shlex.split(given["run"])
    except ValueError:
        raise typer.BadParameter("the quotes do not match.", param_hint="--run") from None
    target: dict[str, Any] = {"kind": "shell", "command": words}
    if given["env"]:
        target["env"] = parse_pairs(given["env"], "=", "--env")
    if given["artifact"] is not None:
        target["artifact"] = given["artifact"] if "@" in given["artifact"] else given["artifact"] + "@latest"
    return target if given["cwd"] is None else {**target, "cwd": given["cwd"]}
