"""What changes in memory while the store is read, because rounds continue until its answer arrives. Pure."""

from __future__ import annotations

from duetime.store.port import JobRef


class ChangesDuringRead:
    """The changes in memory during one read. Where the store's answer is older than a change, it does not count."""

    __slots__ = ("ended", "stored")

    def __init__(self) -> None:
        self.ended: dict[int, tuple[JobRef, ...]] = {}
        """References that do not count any more, by job."""
        self.stored: set[int] = set()
        """Jobs that this process stored: memory has their references already."""

    def end(self, ref: JobRef) -> None:
        """Note that a reference does not count any more."""
        self.ended[ref.id] = (*self.ended.get(ref.id, ()), ref)

    def outdates(self, ref: JobRef) -> bool:
        """Whether a reference in the answer is older than a change in memory."""
        return ref.id in self.stored or ref in self.ended.get(ref.id, ())
