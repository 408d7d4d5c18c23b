"""Reads passwords, from standard input or from a terminal without showing them."""

from __future__ import annotations

import sys
import warnings
from getpass import GetPassWarning
from typing import Annotated

import typer

from duetime.cli.shared.exits import UsageError

PasswordStdin = Annotated[
    bool,
    typer.Option("--password-stdin", help="Read the password from the first line of stdin.", show_default=False),
]


def read_password(*, from_stdin: bool, confirm: bool = False, prompt: str = "Password") -> str:
    """Returns the password: the next line of standard input, else what is typed at the prompt."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    with warnings.catch_warnings():
        # Without a terminal, getpass reads standard input and only warns. An error names the option to use instead.
        warnings.simplefilter("error", GetPassWarning)
        try:
            return typer.prompt(prompt, hide_input=True, confirmation_prompt=confirm, err=True)
        except GetPassWarning:
            print(file=sys.stderr)
            raise UsageError(
                "There is no terminal to ask for the password on: add --password-stdin to read it from standard input."
            ) from None
