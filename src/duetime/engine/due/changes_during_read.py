"""Reading: the store is asked, and things go on here until its answer comes. Pure."""

from __future__ import annotations

from duetime.store.port import JobRef


class ChangesDuringRead:
    """What happened here while the store was asked: where its answer is from before that, it does not count."""

    __slots__ = ("ended", "stored")

    def __init__(self) -> None:
        self.ended: dict[int, tuple[JobRef, ...]] = {}
        """References that ceased to count, by job."""
        self.stored: set[int] = set()
        """Jobs that were stored from here: memory has been told of them."""

    def end(self, ref: JobRef) -> None:
        """This one ceased to count."""
        self.ended[ref.id] = (*self.ended.get(ref.id, ()), ref)

    def outdates(self, ref: JobRef) -> bool:
        """Whether what the answer says of a job is from before something that happened here."""
        return ref.id in self.stored or ref in self.ended.get(ref.id, ())
