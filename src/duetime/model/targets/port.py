"""The contract of a kind of target, and of what its runs answer. Pure.

Everything that the rest of Duetime asks of a target is a method here, so no other code distinguishes kinds.
`docs/targets.md` explains how to add a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Literal, Self

from msgspec import Struct

from duetime.model.errors import Invalid
from duetime.model.pull import BroadcastPart, Pulled

HIDDEN: Final = "(hidden)"
"""Stands for a secret wherever a target or an answer is shown."""


class TargetRules(Struct, frozen=True):
    """What the operator lets users' targets do. A kind reads the part that it is about."""

    topics: Mapping[str, Mapping[str, tuple[str, ...]]] = {}
    """By Kafka cluster and user (`*`: every user) the topics that targets may name, with `*` for any characters."""
    programs: Mapping[str, tuple[str, ...]] = {}
    """By user (`*`: every user) the programs that targets may run, with `*` for any characters."""
    directories: tuple[str, ...] = ()
    """Where programs may run besides a directory of their own, with `*` for any characters."""


class TargetKind(Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """A target: what a job does. A subclass is one kind, with its own tag.

    Obligations of a kind:
    - `check` accepts a target only if its runner can carry it out. Errors never quote a secret.
    - `secrets` and `redacted` agree: after `redacted`, every value in `secrets` is `HIDDEN`, and no secret is left.
    - Values in `secrets` are hidden in whatever a run answers, so they are named there even if nothing shows them.
    - `breaker_key` is the same for all targets that fail together, and holds no secret: it is stored and shown.
    """

    takes_slot: ClassVar[bool] = True
    """Whether a run waits for something, so that it takes one of an executor's slots. Its runner says the same."""

    takes_inputs: ClassVar[Literal["message", "beside"] | None] = None
    """How a step gets the results of the steps before it: in its message, because it has no other way, or beside it."""

    message_is_log: ClassVar[bool] = False
    """Whether the log of a successful run is the job's message. The store then keeps no second copy."""

    @property
    def kind(self) -> str:
        """The name of the kind, as in JSON."""
        return str(self.__struct_config__.tag)

    def check(self) -> None:
        """Raise `Invalid`, with the field, if a run of this target cannot be carried out."""

    def check_message(self, message: str) -> None:
        """Raise `Invalid` if a run of this target cannot be carried out with a stored message."""

    def check_rules(self, rules: TargetRules, username: str) -> None:
        """Raise `Invalid`, with the field, if the operator does not let this user have this target."""

    def secrets(self) -> Mapping[str, str]:
        """Returns the values that are never shown, by their path in the target, such as `auth.token`."""
        return {}

    def redacted(self) -> Self:
        """Returns the target as it may be shown, with `HIDDEN` for every secret."""
        return self

    def breaker_key(self) -> str | None:
        """Returns what the target depends on, such as a host. Its failures open one circuit breaker per user."""
        return None

    def pulled(self) -> Pulled | None:
        """Returns what a worker must take to pull jobs of this target; None if executors carry them out."""
        return None

    def stalls_after(self) -> float | None:
        """Returns after how many seconds without progress an attempt has failed; None if that does not count."""
        return None

    def spreads(self) -> Pulled | None:
        """Returns which workers each get a job of their own; None for any target but a broadcast."""
        return None

    def part_for(self, part: BroadcastPart) -> Any:
        """Returns the target of the job of one worker, for a broadcast."""
        raise NotImplementedError

    def part_of(self) -> BroadcastPart | None:
        """Returns which part of a broadcast a job of this target is; None if it is of none."""
        return None

    def check_secrets(self) -> None:
        """Raise `Invalid` if a redacted target was sent back: storing it would lose the secret."""
        for path, value in self.secrets().items():
            if value == HIDDEN:
                raise Invalid(
                    f"'{HIDDEN}' stands for a credential that is not shown: send the real one.", field=f"target.{path}"
                )


class AnswerKind(Struct, frozen=True, tag_field="kind"):
    """What a run answered, as the record keeps it. A subclass belongs to one kind of target and has the same tag."""

    @property
    def kind(self) -> str:
        """The name of the kind, as in JSON."""
        return str(self.__struct_config__.tag)

    def shown(self) -> Self:
        """Returns the answer as clients see it."""
        return self

    def masked(self, mask: Callable[..., str]) -> Self:
        """Returns the answer as it may be recorded. `mask(text, cut=…)` returns a text without the target's secrets."""
        return self

    def value(self) -> Any:
        """Returns the result of the job, as JSON; None for a kind that has none."""
        return None

    def output(self) -> Any:
        """Returns what the next steps of a workflow get of the job, as JSON."""
        return self.value()

    def summary(self) -> str:
        """Returns the answer in a few words, for a table's cell."""
        return self.kind
