"""The `shell` target: one run is one program, on an executor that allows it. The value, checks and answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, ClassVar, Final, Literal, Self

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from duetime.model.artifact import REFERENCE
from duetime.model.errors import Invalid
from duetime.model.targets.port import HIDDEN, AnswerKind, TargetKind, TargetRules

MAX_ARGUMENTS: Final = 1000
MAX_COMMAND_BYTES: Final = 65_536
MAX_VARIABLES: Final = 100
ARTIFACT: Final = "artifact:"
"""Begins what the operator allows of artifacts, such as `artifact:nightly`."""
INSIDE: Final = "./"
"""Begins a program that is in the artifact."""
SHOWN_BYTES: Final = 4096
"""How much of the end of each stream the answer keeps. The log has more."""

RESERVED: Final = re.compile(
    r"^(DUETIME_.*|LD_.*|PATH|HOME|IFS|ENV|BASH_.*|SHELLOPTS|PS4|PYTHON.*|PERL.*|RUBY.*|NODE_.*|JAVA_.*|_JAVA_.*|GIT_.*)$"
)
"""Variables that could make an allowed program run something else, or that Duetime sets."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")

Argument = Annotated[str, Meta(max_length=MAX_COMMAND_BYTES)]
Code = Annotated[int, Meta(ge=0, le=255)]
Variables = dict[str, Annotated[str, Meta(max_length=32_768)]]


class ShellTarget(TargetKind, frozen=True, tag="shell", omit_defaults=True):
    """A program with its arguments. No shell reads them; `script` is for those who want one."""

    takes_inputs: ClassVar[Literal["message", "beside"] | None] = "message"

    command: (
        Annotated[tuple[Argument, ...], Meta(min_length=1, max_length=MAX_ARGUMENTS, examples=[["backup", "--all"]])]
        | UnsetType
    ) = UNSET
    script: (
        Annotated[str, Meta(min_length=1, max_length=MAX_COMMAND_BYTES, description="Instead of `command`.")]
        | UnsetType
    ) = UNSET
    artifact: (
        Annotated[
            str,
            Meta(
                pattern=REFERENCE,
                description="An artifact to run. Its programs begin with `./`; `DUETIME_ARTIFACT` says where it is.",
                examples=["nightly@latest"],
            ),
        ]
        | UnsetType
    ) = UNSET
    interpreter: Annotated[
        tuple[Argument, ...],
        Meta(min_length=1, max_length=20, description="What reads `script`: it gets the script's file as an argument."),
    ] = ("/bin/sh",)
    env: Annotated[Variables, Meta(description="Variables of the program's environment.")] = msgspec.field(
        default_factory=dict[str, str]
    )
    secret_env: Annotated[Variables, Meta(description="Variables whose values are never shown.")] = msgspec.field(
        default_factory=dict[str, str]
    )
    cwd: (
        Annotated[str, Meta(pattern=r"^/", max_length=4096, description="By default a new, empty directory.")]
        | UnsetType
    ) = UNSET
    success_codes: Annotated[tuple[Code, ...], Meta(min_length=1, description="Exit codes of a success.")] = (0,)
    retry_codes: (
        Annotated[tuple[Code, ...], Meta(description="If given, a failure with another code is not tried again.")]
        | UnsetType
    ) = UNSET
    fail_codes: Annotated[tuple[Code, ...], Meta(description="A failure with one of them is not tried again.")] = ()

    def check(self) -> None:
        """Raise `Invalid`, with the field, if this cannot be run."""
        if (self.command is UNSET) == (self.script is UNSET):
            raise Invalid("Give either 'command' or 'script'.", field="target.command")
        words = self.words()
        field = "target.command" if self.script is UNSET else "target.interpreter"
        _check_program(words[0], field, self.artifact is not UNSET)
        if any("\0" in word for word in (*words, self.script or "", self.cwd or "")):
            raise Invalid("A command has no NUL characters.", field=field)
        if sum(len(word) for word in words) > MAX_COMMAND_BYTES:
            raise Invalid(f"A command may have at most {MAX_COMMAND_BYTES} characters.", field=field)
        if self.cwd is not UNSET and ".." in self.cwd.split("/"):
            raise Invalid("'cwd' must not have '..' in it.", field="target.cwd")
        self._check_variables()
        codes = [set(self.success_codes), set(self.retry_codes or ()), set(self.fail_codes)]
        if codes[0] & (codes[1] | codes[2]) or codes[1] & codes[2]:
            raise Invalid("An exit code can be in one of the three lists only.", field="target.success_codes")

    def check_rules(self, rules: TargetRules, username: str) -> None:
        """Raise `Invalid` unless the operator lets this user run this program."""
        if not rules.programs:
            raise Invalid(
                "Programs are not allowed here. The operator allows them with 'programs.allow' in the configuration.",
                field="target.kind",
            )
        allowed = (*rules.programs.get(username, ()), *rules.programs.get("*", ()))
        program = self.words()[0]
        if self.artifact is not UNSET:
            named = ARTIFACT + self.artifact.partition("@")[0]
            _check_allowed(named, [one for one in allowed if one.startswith(ARTIFACT)], allowed, "target.artifact")
        if self.artifact is UNSET or not program.startswith(INSIDE):
            field = "target.command" if self.script is UNSET else "target.interpreter"
            _check_allowed(program, [one for one in allowed if not one.startswith(ARTIFACT)], allowed, field)
        if self.cwd is not UNSET and not any(fnmatchcase(self.cwd, one) for one in rules.directories):
            raise Invalid(
                f"Programs may not run in '{self.cwd}'. Directories that the operator allows: "
                f"{', '.join(rules.directories) or 'none'}.",
                field="target.cwd",
            )

    def secrets(self) -> dict[str, str]:
        """Returns the values of `secret_env`."""
        return {f"secret_env.{name}": value for name, value in self.secret_env.items()}

    def redacted(self) -> Self:
        """Returns the target with the values of `secret_env` hidden."""
        return replace(self, secret_env=dict.fromkeys(self.secret_env, HIDDEN)) if self.secret_env else self

    def words(self) -> tuple[str, ...]:
        """Returns the program and its arguments, without the file of a script."""
        return self.interpreter if self.command is UNSET else self.command

    def is_final(self, code: int) -> bool:
        """Returns whether a failure with an exit code is not tried again."""
        return code in self.fail_codes or (self.retry_codes is not UNSET and code not in self.retry_codes)

    def _check_variables(self) -> None:
        if len(self.env) + len(self.secret_env) > MAX_VARIABLES:
            raise Invalid(f"A program may have at most {MAX_VARIABLES} variables.", field="target.env")
        for field, variables in (("target.env", self.env), ("target.secret_env", self.secret_env)):
            for name, value in variables.items():
                if not _NAME.fullmatch(name) or "\0" in value:
                    raise Invalid(
                        f"'{name[:128]}' is not a variable: a name has letters, digits and _, a value has no NUL.",
                        field=field,
                    )
                if RESERVED.fullmatch(name):
                    raise Invalid(f"The variable '{name}' is the operator's or Duetime's.", field=field)
        if both := self.env.keys() & self.secret_env.keys():
            raise Invalid(f"'{min(both)}' is in 'env' and in 'secret_env'.", field="target.secret_env")


class ShellAnswer(AnswerKind, frozen=True, tag="shell", omit_defaults=True):
    """How a program ended, and the end of what it printed."""

    exit_code: int | None = None
    signal: Annotated[str, Meta(description="The signal that ended it.", examples=["SIGKILL"])] | None = None
    stdout: str = ""
    stderr: str = ""
    output_bytes: Annotated[int, Meta(description="All that it printed.")] = 0
    cpu_seconds: float = 0.0
    memory_bytes: Annotated[int, Meta(description="The most memory that it had at once.")] = 0
    artifact: Annotated[str, Meta(description="The version that it ran with.")] | None = None

    def masked(self, mask: Callable[..., str]) -> Self:
        """Returns the answer without the target's secrets."""
        return replace(self, stdout=mask(self.stdout), stderr=mask(self.stderr))

    def value(self) -> str:
        """Returns the end of the standard output."""
        return self.stdout

    def summary(self) -> str:
        """Returns how it ended."""
        return self.signal or f"exit {self.exit_code}"


def _check_allowed(program: str, patterns: Sequence[str], allowed: Sequence[str], field: str) -> None:
    if not any(fnmatchcase(program, pattern) for pattern in patterns):
        raise Invalid(
            f"You may not run '{program}'. Programs that the operator allows you: {', '.join(allowed) or 'none'}.",
            field=field,
        )


def _check_program(program: str, field: str, has_artifact: bool) -> None:
    inside = has_artifact and program.startswith(INSIDE) and program.strip("./")
    is_path = program.startswith("/") or inside
    if not program or (not is_path and "/" in program) or ".." in program.split("/"):
        raise Invalid(
            f"'{program[:200]}' must be an absolute path without '..', a name that the operator's path has, or with an "
            "'artifact' a path in it such as ./run.",
            field=field,
        )
