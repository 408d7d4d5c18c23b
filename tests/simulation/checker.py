"""The history checker of the simulation: reads the journal of commits, the clients' answers and the sink.

It does not depend on how the store decides: it derives ownership from the journal alone. Each function is one
invariant of the table in docs/guarantees.md, and its tests have a hand-made bad history for each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise

from duetime.engine.recurring.timetables import Timetables
from duetime.model.definition import decode_definition
from duetime.model.states import JobState, may
from simulation.history import History, Start, Told, Violation
from simulation.memory.tables import Fact

Found = Iterator[Violation]
ENDS = frozenset({"finished", "withdrawn", "skipped", "dropped"})
PLACES = frozenset({"stored", "moved", "edited"})


def durable_acceptance(history: History) -> Found:
    """I1: an acknowledged job exists, with the acknowledged content; a refused one does not."""
    jobs = {job.id: job for job in history.tables.jobs.values()}
    jobs |= {ended.job.id: ended.job for ended in history.tables.history}
    stored = Counter(fact.text.split("/")[0] for fact in history.journal if fact.kind == "stored")
    edits = defaultdict[int, set[str]](set)
    for told in history.told:
        if told.kind == "edit" and told.answer != "refused":
            edits[told.job].add(told.message)
    for told in history.told:
        if told.kind != "submit":
            continue
        if stored[told.token] > 1:
            yield Violation("I1", f"{told.token} was stored {stored[told.token]} times")
        if told.answer == "refused" and stored[told.token]:
            yield Violation("I1", f"{told.token} was refused and is stored")
        if told.answer == "ok":
            job = jobs.get(told.job)
            if job is None:
                yield Violation("I1", f"job {told.job} ({told.token}) was acknowledged and is gone")
            elif job.message not in {told.message, *edits[told.job]} or job.lane != told.lane:
                yield Violation("I1", f"job {told.job} is not what was acknowledged: {job.message}, lane {job.lane}")


def no_silent_miss(history: History) -> Found:
    """I2: every nominal instant of every schedule is a job or recorded as skipped, exactly once."""
    meddled = {told.job for told in history.told if told.kind == "edit"}
    tables, timetables = history.tables, Timetables()
    for schedule in tables.schedules.values():
        row = schedule.row
        jobs = [job for job in tables.jobs.values() if job.schedule_id == row.id and job.id != row.pending_job]
        records = [one for one in tables.history if one.job.schedule_id == row.id]
        if meddled & ({job.id for job in jobs} | {one.job.id for one in records} | {row.pending_job}):
            continue
        until = row.accounted_until
        if until is None:
            continue
        instants = [one.nominal for one in timetables.of(row).timetable.between(row.created_at, until)]
        single = Counter(job.execute_at for job in jobs)
        single.update(one.job.execute_at for one in records if one.covers_until is None)
        ranges = [one for one in records if one.covers_until is not None]
        for at in instants:
            if not single[at] and not any(one.job.execute_at <= at <= one.covers_until for one in ranges):
                yield Violation("I2", f"schedule {row.id}: nothing is known of {at}")
        told = sum(single.values()) + sum(one.covers_count or 0 for one in ranges)
        if all(one.covers_count is not None for one in ranges) and told != len(instants):
            yield Violation("I2", f"schedule {row.id}: {told} instants on record, {len(instants)} have passed")
        for one in records:
            if one.state == "skipped" and not one.reason:
                yield Violation("I2", f"schedule {row.id}: {one.job.execute_at} was skipped for no reason")


def launched_once(history: History) -> Found:
    """I3: one launch for each job and attempt, one job for each schedule and nominal instant."""
    open_runs = Counter[tuple[int, int]]()
    nominal_of: dict[int, tuple[int, datetime | None]] = {}
    job_of: dict[tuple[int, datetime | None], int] = {}
    for fact in history.journal:
        run = (fact.job, fact.attempt)
        if _launches(fact):
            open_runs[run] += 1
            if open_runs[run] > 1:
                yield Violation("I3", f"run {fact.job}-{fact.attempt} was launched {open_runs[run]} times")
        elif fact.kind == "unlaunched" and fact.nominal is not None:
            open_runs[run] -= 1
        if fact.schedule and fact.kind in PLACES:
            place = (fact.schedule, fact.nominal)
            if fact.job in nominal_of and job_of.get(nominal_of[fact.job]) == fact.job:
                del job_of[nominal_of[fact.job]]
            other = job_of.setdefault(place, fact.job)
            nominal_of[fact.job] = place
            if other != fact.job:
                yield Violation("I3", f"jobs {other} and {fact.job} are both schedule {place[0]} at {place[1]}")
        elif fact.kind in ENDS and job_of.get(nominal_of.get(fact.job, (0, None))) == fact.job:
            del job_of[nominal_of[fact.job]]
    for (job, attempt), count in Counter((start.job, start.attempt) for start in history.starts).items():
        if count > 1:
            yield Violation("I3", f"the sink saw run {job}-{attempt} {count} times")


def _launches(fact: Fact) -> bool:
    """Whether a launch led to a run. One with an outdated reference finds no job, and is taken back unsent."""
    return fact.kind == "launched" and fact.nominal is not None


def no_phantom_never_early(history: History) -> Found:
    """I4: every start has a committed launch of the same holder before it, and is not before its due instant."""
    launches = {(fact.job, fact.attempt, fact.node): fact for fact in history.journal if _launches(fact)}
    for start in history.starts:
        launch = launches.get((start.job, start.attempt, start.executor))
        if launch is None or launch.at > start.at:
            yield Violation("I4", f"run {start.job}-{start.attempt} reached the sink with no launch behind it")
        elif launch.due is not None and start.at < launch.due:
            yield Violation("I4", f"run {start.job}-{start.attempt} started {launch.due - start.at} early")


def terms_rise(history: History) -> Found:
    """I6: a shard's term belongs to one node, and only grows."""
    terms: dict[int, int] = {}
    for fact in history.journal:
        if fact.kind == "taken":
            if fact.term <= terms.get(fact.shard, 0):
                yield Violation("I6", f"shard {fact.shard} went from term {terms[fact.shard]} to {fact.term}")
            terms[fact.shard] = fact.term


def no_zombie_write(history: History) -> Found:
    """I7: only the shard's owner launches, under its term and with a lease; a node that relies on a lease has one.

    A node without a lease starts no run, except those that it already held when it was paused.
    """
    leases: set[int] = set()
    owners: dict[int, tuple[int, int]] = {}
    for fact in history.journal:
        if fact.kind == "joined":
            leases.add(fact.node)
        elif fact.kind in ("fenced", "left"):
            leases.discard(fact.node)
        elif fact.kind == "taken":
            owners[fact.shard] = (fact.node, fact.term)
        elif fact.kind == "released":
            owners.pop(fact.shard, None)
        elif fact.kind == "launched":
            run = f"run {fact.job}-{fact.attempt}"
            if fact.node not in leases:
                yield Violation("I7", f"{run} was launched by node {fact.node}, which had no lease")
            if owners.get(fact.shard) != (fact.node, fact.term):
                owner = owners.get(fact.shard)
                yield Violation("I7", f"{run} was launched under ({fact.node}, term {fact.term}), owned by {owner}")
    over = {fact.node: fact.at for fact in history.journal if fact.kind in ("fenced", "left")}
    for start in history.starts:
        ended = over.get(start.executor)
        if ended is not None and ended < start.at and start.woken != start.at:
            yield Violation("I7", f"run {start.job}-{start.attempt} began at {start.at}, its node had no lease then")
    for trust in history.trusted_too_long:
        yield Violation("I7", f"node {trust.node} relied on its lease at {trust.at}, when it was over")


def state_machine(history: History) -> Found:
    """I8: every job's states are a path of the transition table, with one end."""
    states: dict[int, JobState] = {}
    gone: set[int] = set()
    for fact in history.journal:
        after = _state_after(fact)
        if after is None:
            continue
        before = states.get(fact.job)
        if fact.kind == "stored":
            allowed = before is None
        elif fact.kind == "unlaunched":
            allowed = True
        elif fact.kind == "edited":
            allowed, after = before in (JobState.CREATED, JobState.DEAD), before or after
        elif fact.kind in ("moved", "dropped"):
            allowed = before is JobState.CREATED
        else:
            allowed = before is not None and may(before, after)
        if fact.job in gone or not allowed:
            yield Violation("I8", f"job {fact.job} went from {before} by {fact.kind} to {after}")
        states[fact.job] = JobState.CREATED if after is JobState.FAILED else after
        if fact.kind in ENDS:
            gone.add(fact.job)
    open_jobs = set(history.tables.jobs)
    ended = Counter(one.job.id for one in history.tables.history)
    for job, count in ended.items():
        if count > 1 or job in open_jobs:
            yield Violation("I8", f"job {job} has {count} ends{' and is open' if job in open_jobs else ''}")


def _state_after(fact: Fact) -> JobState | None:
    match fact.kind:
        case "stored" | "moved" | "edited":
            return JobState.CREATED
        case "unlaunched":
            return None if fact.nominal is None else JobState.CREATED
        case "launched":
            return None if fact.nominal is None else JobState.RUNNING
        case "finished" | "withdrawn" | "skipped":
            return JobState(fact.state)
        case "retried":
            return JobState.DEAD if fact.state == "parked" else JobState.FAILED
        case "dropped":
            return JobState.CANCELLED
        case _:
            return None


def at_least_once(history: History) -> Found:
    """I9: an at-least-once job succeeded at the sink, used all its attempts, or was cancelled; it is never lost."""
    reached = {start.job for start in history.starts}
    for ended in history.tables.history:
        policy = decode_definition(history.tables.definitions[ended.job.definition_id]).policy
        if policy.delivery != "at_least_once":
            continue
        if ended.state == "lost":
            yield Violation("I9", f"job {ended.job.id} is at_least_once, and lost")
        if ended.state == "succeeded" and ended.job.id not in reached:
            yield Violation("I9", f"job {ended.job.id} succeeded and never reached the sink")
        if ended.state == "dead" and ended.attempt < policy.retry.max_attempts:
            yield Violation("I9", f"job {ended.job.id} was given up after {ended.attempt} attempts")


def at_most_once(history: History) -> Found:
    """I10: an at-most-once job reached the sink at most once, and has no second attempt."""
    starts = Counter(start.job for start in history.starts if start.at_most_once)
    for job, count in starts.items():
        if count > 1:
            yield Violation("I10", f"the sink saw the at_most_once job {job} {count} times")
    once = {start.job for start in history.starts if start.at_most_once}
    for fact in history.journal:
        if _launches(fact) and fact.job in once and fact.attempt > 1:
            yield Violation("I10", f"the at_most_once job {fact.job} was launched as attempt {fact.attempt}")


def one_result(history: History) -> Found:
    """I11: one accepted result for each run, from its holder; every success is known to the sink."""
    holders: dict[int, tuple[int, int]] = {}
    results = Counter[tuple[int, int]]()
    succeeded = {(stop.job, stop.attempt, stop.executor) for stop in history.stops if stop.outcome == "succeeded"}
    for fact in history.journal:
        if _launches(fact):
            holders[fact.job] = (fact.attempt, fact.node)
        elif fact.kind in ("finished", "retried"):
            run = f"run {fact.job}-{fact.attempt}"
            results[fact.job, fact.attempt] += 1
            if results[fact.job, fact.attempt] > 1:
                yield Violation("I11", f"{run} has {results[fact.job, fact.attempt]} results")
            if holders.get(fact.job) != (fact.attempt, fact.node):
                yield Violation("I11", f"{run} was settled by node {fact.node}, held was {holders.get(fact.job)}")
            if fact.state == "succeeded" and (fact.job, fact.attempt, fact.node) not in succeeded:
                yield Violation("I11", f"{run} succeeded by the record, and not at the sink")


def lanes(history: History) -> Found:
    """I12: at most one job of a lane is in flight, the first in lane order; at the sink no two run at once."""
    begun = {(start.job, start.attempt, start.executor) for start in history.starts}
    unsent = _taken_back(history)
    members = defaultdict[str, dict[int, tuple[datetime | None, int]]](dict)
    lane_of: dict[int, str] = {}
    flying: dict[str, int] = {}
    for number, fact in enumerate(history.journal):
        if number in unsent:
            continue
        if fact.kind in PLACES:
            if fact.lane:
                members[fact.lane][fact.job] = (fact.nominal, fact.job)
                lane_of[fact.job] = fact.lane
        elif fact.kind == "launched" and fact.lane and (fact.job, fact.attempt, fact.node) in begun:
            first = min(members[fact.lane].values(), default=None)
            if first is not None and first[1] != fact.job:
                yield Violation("I12", f"job {fact.job} of lane {fact.lane} was launched before job {first[1]}")
            if flying.setdefault(fact.lane, fact.job) != fact.job:
                yield Violation("I12", f"jobs {flying[fact.lane]} and {fact.job} of lane {fact.lane} flew together")
        if fact.kind in ("unlaunched", "retried", *ENDS) and fact.job in lane_of:
            lane = lane_of[fact.job]
            if flying.get(lane) == fact.job:
                del flying[lane]
            if fact.kind in ENDS:
                members[lane].pop(fact.job, None)
    yield from _overlaps(history)


def _taken_back(history: History) -> set[int]:
    """The numbers of the facts about launches that were taken back: none of those was sent."""
    launched: dict[int, int] = {}
    numbers: set[int] = set()
    for number, fact in enumerate(history.journal):
        if fact.kind == "launched":
            launched[fact.job] = number
        elif fact.kind == "unlaunched" and fact.job in launched:
            numbers |= {number, launched.pop(fact.job)}
    return numbers


def _overlaps(history: History) -> Found:
    """At the sink, only a run that continued after its node was fenced may overlap with the next one."""
    fenced = {fact.node: fact.at for fact in history.journal if fact.kind in ("fenced", "left")}
    ends = {(stop.job, stop.attempt, stop.executor): stop.at for stop in history.stops}
    by_lane = defaultdict[tuple[int, str], list[Start]](list)
    for start in history.starts:
        if start.lane is not None:
            by_lane[start.user, start.lane].append(start)
    for lane, starts in by_lane.items():
        for earlier, later in pairwise(starts):
            end = ends.get((earlier.job, earlier.attempt, earlier.executor))
            over = fenced.get(earlier.executor)
            gone = fenced.get(later.executor)
            held = (over is None or over > later.at) and (gone is None or gone > later.at)
            if (end is None or end > later.at) and held:
                yield Violation("I12", f"runs of jobs {earlier.job} and {later.job} of lane {lane} overlapped")


def convergence(history: History) -> Found:
    """I14: after the faults are healed, everything comes to rest."""
    for left in history.left:
        yield Violation("I14", left)


def edits(history: History) -> Found:
    """I16: after an acknowledged cancel, pause or edit, no job launches with the old content."""
    launches = defaultdict[int, list[Fact]](list)
    of_schedule = defaultdict[int, list[Fact]](list)
    for fact in history.journal:
        if _launches(fact):
            launches[fact.job].append(fact)
            if fact.schedule and fact.attempt == 1 and not fact.lane and len(launches[fact.job]) == 1:
                of_schedule[fact.schedule].append(fact)
    for told in history.told:
        if told.answer == "ok" and told.kind == "pause":
            late = [fact for fact in of_schedule[told.job] if fact.at > told.answered]
            if late:
                yield Violation("I16", f"job {late[0].job} of schedule {told.job} was launched after its pause")
        elif told.answer == "ok" and told.kind in ("cancel", "edit"):
            late = [fact for fact in launches[told.job] if fact.at > told.answered]
            yield from _launched_after(told, late, history)
            yield from _cancelled_and_begun(told, history)


def _launched_after(told: Told, late: list[Fact], history: History) -> Found:
    if told.kind == "cancel" and late:
        yield Violation("I16", f"job {told.job} was launched after its cancel was acknowledged")
    runs = {(fact.job, fact.attempt, fact.node) for fact in late}
    for start in history.starts:
        if told.kind == "edit" and (start.job, start.attempt, start.executor) in runs and start.message != told.message:
            yield Violation("I16", f"job {told.job} ran {start.message} after it was made {told.message}")


def _cancelled_and_begun(told: Told, history: History) -> Found:
    """No node with a lease starts a job that was cancelled while it was not running."""
    if told.kind != "cancel" or told.running:
        return
    fenced = {fact.node: fact.at for fact in history.journal if fact.kind in ("fenced", "left")}
    for start in history.starts:
        if start.job == told.job and start.at > told.answered:
            over = fenced.get(start.executor)
            if over is None or over > start.at:
                yield Violation("I16", f"job {told.job} began after its cancel was acknowledged")


def nothing_broke(history: History) -> Found:
    """I0: no part failed with an unexpected error."""
    for text in history.broken:
        yield Violation("I0", text)


INVARIANTS: tuple[Callable[[History], Found], ...] = (
    nothing_broke,
    durable_acceptance,
    no_silent_miss,
    launched_once,
    no_phantom_never_early,
    terms_rise,
    no_zombie_write,
    state_machine,
    at_least_once,
    at_most_once,
    one_result,
    lanes,
    convergence,
    edits,
)


def check(history: History) -> list[Violation]:
    """All violations in a history."""
    return [violation for invariant in INVARIANTS for violation in invariant(history)]
