"""Plan: what happens to a schedule's pending occurrence when its time has come, and which one is next. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from duetime.model.schedule import Misfire, Overlap
from duetime.timing.slices import SLICE, Steps, at_once
from duetime.timing.timetable import Occurrence, Timetable

CHUNK = 5000
"""How many past instants one plan covers. Further ones are left to the next plan, which follows at once."""
COUNTED = 20_000
"""How many instants in a row that a calendar or a window leaves out are counted."""
QUEUED = 1000
"""How many occurrences may wait for an earlier one under the overlap policy `queue`."""

MISSED = "misfire: it passed before it could be launched"
FOLDED = "misfire: folded into the run of a later instant"
BEYOND = "misfire: beyond the bounds of fire_all"
OVERLAPPED = "overlap: an earlier occurrence had not finished"
QUEUE_FULL = f"overlap: {QUEUED} earlier occurrences wait already"
PAUSED = "paused: it passed while the schedule was paused"
EDITED = "edited: it passed before the schedule was changed"
EXCLUDED = "calendar: the date is excluded"
_LEFT_OUT = {
    "excluded_by_calendar": EXCLUDED,
    "skipped_by_window": "window: outside its hours",
    "search_ended": "timing: no instant was found up to here, and the search goes on",
}
_TICK = timedelta(microseconds=1)


class Skip(Struct, frozen=True):
    """Instants that are not launched, from the first to the last. A count of None means too many to count."""

    first: datetime
    last: datetime
    count: int | None
    reason: str


class ScheduleProgress(Struct, frozen=True):
    """How far a schedule has come, as the store records it."""

    nominal: datetime
    due: datetime
    effective_from: datetime
    accounted_until: datetime | None = None
    judged_until: datetime | None = None
    occurrences: int = 0
    overlapping: int = 0
    """Earlier occurrences that have not finished."""


class Plan(Struct, frozen=True):
    """What one transaction does."""

    launch: Occurrence | None
    skips: tuple[Skip, ...]
    next: Occurrence | None
    """None: the schedule has ended."""
    accounted_until: datetime
    judged_until: datetime | None = None


class Fold:
    """Gathers skipped instants by reason: one range with a count for each reason."""

    def __init__(self) -> None:
        self._ranges: dict[str, tuple[datetime, datetime, int | None]] = {}

    def add(self, nominal: datetime, reason: str) -> None:
        """Add one instant."""
        known = self._ranges.get(reason)
        if known is None:
            self._ranges[reason] = (nominal, nominal, 1)
        else:
            self._ranges[reason] = (known[0], nominal, None if known[2] is None else known[2] + 1)

    def add_uncounted(self, until: datetime, reason: str) -> None:
        """Extend a range up to an instant, without counting what lies in between."""
        known = self._ranges.get(reason)
        self._ranges[reason] = (known[0] if known else until, until, None)

    def skips(self) -> tuple[Skip, ...]:
        """Returns the gathered ranges."""
        return tuple(Skip(*known, reason) for reason, known in self._ranges.items())


def reason_left_out(occurrence: Occurrence) -> str:
    """Returns why a timetable leaves an instant out."""
    return next((_LEFT_OUT[flag] for flag in occurrence.flags if flag in _LEFT_OUT), "window: it never opens")


def fold_left_out(timetable: Timetable, after: datetime, before: datetime, fold: Fold) -> Steps[None]:
    """Gather the instants that are left out between two instants, both exclusive, in slices.

    An instant that the present timetable runs, and that did not run, was excluded when it passed, by dates that the
    calendar no longer has.
    """
    counted = work = 0
    occurrence = timetable.nominal_after(after)
    while occurrence is not None and occurrence.nominal < before:
        work += timetable.cost
        if work >= SLICE:
            work = 0
            yield
        at = occurrence.nominal
        counted += 1
        if occurrence.run_at is not None:
            fold.add(at, EXCLUDED)
        elif counted <= COUNTED:
            fold.add(at, reason_left_out(occurrence))
        else:
            at = max(at, min(timetable.resume_after(occurrence), before - _TICK))
            fold.add_uncounted(at, reason_left_out(occurrence))
        occurrence = timetable.nominal_after(at)


def fold_between(
    timetable: Timetable, after: datetime, until: datetime, reason: str, fold: Fold, limit: int
) -> Steps[None]:
    """Gather every instant of a stretch, start exclusive, end inclusive, in slices.

    `reason` is for those that would have run.
    """
    work = 0
    for counted, occurrence in enumerate(timetable.between(after, until), 1):
        work += timetable.cost
        if work >= SLICE:
            work = 0
            yield
        why = reason if occurrence.run_at is not None else reason_left_out(occurrence)
        if counted > limit:
            fold.add_uncounted(until, why)
            return
        fold.add(occurrence.nominal, why)


def plan(
    timetable: Timetable,
    progress: ScheduleProgress,
    now: datetime,
    *,
    misfire: Misfire,
    overlap: Overlap,
    max_occurrences: int | None,
    leaves_out: bool,
) -> Plan:
    """Decide what happens to the pending occurrence and to all that have come due since, at once."""
    return at_once(
        plan_steps(
            timetable,
            progress,
            now,
            misfire=misfire,
            overlap=overlap,
            max_occurrences=max_occurrences,
            leaves_out=leaves_out,
        )
    )


def plan_steps(
    timetable: Timetable,
    progress: ScheduleProgress,
    now: datetime,
    *,
    misfire: Misfire,
    overlap: Overlap,
    max_occurrences: int | None,
    leaves_out: bool,
) -> Steps[Plan]:
    """Decide what happens to the pending occurrence and to all that have come due since, in slices.

    `leaves_out` says that a calendar or a window can leave instants out. Then some may lie between the last instant
    that is accounted for and the pending one.
    """
    fold = Fold()
    base = max(progress.accounted_until or progress.effective_from, progress.effective_from)
    first = Occurrence(progress.nominal, progress.due)
    if (leaves_out or timetable.has_rule) and base < progress.nominal:
        if leaves_out:
            yield from fold_left_out(timetable, base, progress.nominal, fold)
        found = timetable.nominal_after(progress.nominal - _TICK)
        if found is not None and found.nominal == progress.nominal and found.run_at is None:
            first = found
    judged = progress.judged_until if misfire.policy == "fire_all" else None
    if first.run_at is not None and judged is not None and progress.nominal <= judged:
        chosen, passed = first, list[Occurrence]()
    else:
        start = max(progress.nominal, progress.effective_from)
        arrived, more = yield from _arrived(timetable, first, start, now)
        wanted = misfire.max_count if misfire.policy == "fire_all" else 1
        rest = (yield from _running(timetable, max(start, arrived[-1].nominal), now, wanted)) if more else []
        chosen, passed = _choose(arrived, rest, now, misfire)
        judged = _judged(arrived, rest, chosen, now, misfire) if misfire.policy == "fire_all" else None
    reason = {"fire_once": FOLDED, "fire_all": BEYOND, "skip": MISSED}[misfire.policy]
    for one in passed:
        fold.add(one.nominal, reason if one.run_at is not None else reason_left_out(one))
    accounted = chosen.nominal if chosen is not None else passed[-1].nominal
    if chosen is not None and (refused := _refused(overlap, progress.overlapping)):
        fold.add(chosen.nominal, refused)
        chosen = None
    launched = progress.occurrences + (chosen is not None)
    ended = max_occurrences is not None and launched >= max_occurrences
    following = None
    if not ended:
        after = max(accounted, progress.effective_from)
        following = timetable.nominal_after(after)
        if following is not None and following.run_at is None:
            following = yield from timetable.search_after(after)
    return Plan(chosen, fold.skips(), following, accounted, judged)


def _arrived(
    timetable: Timetable, first: Occurrence, start: datetime, now: datetime
) -> Steps[tuple[list[Occurrence], bool]]:
    """Returns the pending and later occurrences whose time has come, left out or not, and whether there are more."""
    arrived, work = [first], 0
    occurrence = timetable.nominal_after(start)
    while occurrence is not None and occurrence.nominal <= now:
        if occurrence.run_at is not None and occurrence.run_at > now:
            break
        if len(arrived) >= CHUNK:
            return arrived, True
        arrived.append(occurrence)
        work += timetable.cost
        if work >= SLICE:
            work = 0
            yield
        occurrence = timetable.nominal_after(occurrence.nominal)
    return arrived, False


def _running(timetable: Timetable, after: datetime, now: datetime, limit: int) -> Steps[list[Occurrence]]:
    """Returns the first occurrences that run and whose time has come. Left-out stretches are passed over as a whole."""
    found: list[Occurrence] = []
    work = 0
    occurrence = timetable.nominal_after(after)
    while occurrence is not None and occurrence.nominal <= now and len(found) < limit:
        work += timetable.cost
        if work >= SLICE:
            work = 0
            yield
        if occurrence.run_at is None:
            after = timetable.resume_after(occurrence)
        elif occurrence.run_at > now:
            break
        else:
            found.append(occurrence)
            after = occurrence.nominal
        occurrence = timetable.nominal_after(after)
    return found


def _choose(
    arrived: list[Occurrence], rest: list[Occurrence], now: datetime, misfire: Misfire
) -> tuple[Occurrence | None, list[Occurrence]]:
    """Returns the occurrence to launch, and those before it, which are skipped. Later ones stay for the next plan.

    `rest` are the next occurrences that run, as many as the decision needs: one that is beyond the bounds with them
    stays beyond the bounds.
    """
    known = [*arrived, *rest]
    running = [index for index, one in enumerate(known) if one.run_at is not None]
    if misfire.policy == "fire_all":
        oldest = now - timedelta(seconds=misfire.max_age)
        kept = [index for index in running[-misfire.max_count :] if _run_at(known[index]) >= oldest]
        first = kept[0] if kept else len(known)
    else:
        first = running[-1] if running else len(known)
        if running and misfire.policy == "skip" and now - _run_at(known[first]) > timedelta(seconds=misfire.grace):
            first = len(known)
    return (arrived[first], arrived[:first]) if first < len(arrived) else (None, arrived)


def _judged(
    arrived: list[Occurrence], rest: list[Occurrence], chosen: Occurrence | None, now: datetime, misfire: Misfire
) -> datetime | None:
    """Returns the instant up to which occurrences may follow the chosen one without being judged again.

    It ends before an occurrence that is too old: jitter can make an instant older than the ones around it.
    """
    if chosen is None:
        return None if rest else arrived[-1].nominal
    oldest, judged = now - timedelta(seconds=misfire.max_age), chosen.nominal
    for one in (*arrived, *rest):
        if one.nominal > chosen.nominal:
            if one.run_at is not None and one.run_at < oldest:
                break
            judged = one.nominal
    return judged


def _run_at(occurrence: Occurrence) -> datetime:
    return occurrence.run_at or occurrence.nominal


def _refused(overlap: Overlap, overlapping: int) -> str | None:
    if overlap == "skip" and overlapping:
        return OVERLAPPED
    return QUEUE_FULL if overlap == "queue" and overlapping >= QUEUED else None
