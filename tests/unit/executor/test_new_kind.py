"""A kind of target that only this test knows goes from a client's body to a shown run: no other code names a kind."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import msgspec
import pytest
from msgspec.structs import replace

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.jobs.views import run_view
from duetime.clock.manual import START, ManualClock
from duetime.executor.executor import LocalExecutor
from duetime.executor.targets.log import LogRunner
from duetime.executor.targets.port import Runner
from duetime.model.definition import Definition
from duetime.model.errors import Invalid
from duetime.model.flow import PART, flow_of_job, watched_key
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId, flow_of
from duetime.model.job import NewJob
from duetime.model.outcome import Outcome, Result
from duetime.model.policy import Policy
from duetime.model.run import LaunchedRun, Run, Settlement
from duetime.model.states import JobState
from duetime.model.targets import Answer, Target
from duetime.model.targets.log import LogTarget
from duetime.model.targets.port import HIDDEN, AnswerKind, TargetKind

USER = UserId(3)


class BellTarget(TargetKind, frozen=True, tag="bell"):
    """Rings a bell in a tower."""

    tower: str
    key: str
    strokes: int = 1

    def check(self) -> None:
        if self.strokes < 1:
            raise Invalid("A bell rings at least once.", field="target.strokes")

    def secrets(self) -> Mapping[str, str]:
        return {"key": self.key}

    def redacted(self) -> Self:
        return replace(self, key=HIDDEN)

    def breaker_key(self) -> str:
        return f"bell:{self.tower}"


class BellAnswer(AnswerKind, frozen=True, tag="bell"):
    """What was heard."""

    sound: str

    def summary(self) -> str:
        return self.sound


class BellRunner:
    """Rings."""

    waits: ClassVar[Literal[True]] = True

    async def run(self, run: LaunchedRun) -> Outcome:
        target: Any = run.definition.target
        await asyncio.sleep(0)
        answer: Any = BellAnswer(f"{run.message} " * target.strokes)
        return Outcome(JobState.SUCCEEDED, None, answer)

    async def close(self) -> None:
        pass


def sent(**fields: Any) -> Any:
    """A target as a client sends it, read as one of all kinds with the new one among them."""
    body = msgspec.json.encode({"kind": "bell", "tower": "west", "key": "k3y"} | fields)
    return msgspec.json.decode(body, type=Target | BellTarget)  # type: ignore[operator]


def parsed(target: Any) -> NewJob:
    return JobParser(USER, START, 100).parse(JobBody("ding", target=target))


def test_the_api_checks_it() -> None:
    assert parsed(sent(strokes=2)).definition == Definition(BellTarget("west", "k3y", 2))  # type: ignore[arg-type]
    with pytest.raises(Invalid) as caught:
        parsed(sent(strokes=0))
    assert caught.value.details == {"field": "target.strokes"}
    with pytest.raises(Invalid) as caught:
        parsed(sent().redacted())
    assert caught.value.details == {"field": "target.key"}


def test_its_jobs_wait_in_a_flow_by_its_breaker_key() -> None:
    one, same, other = (Definition(sent(tower=tower)) for tower in ("west", "west", "east"))
    flow = flow_of_job(USER, 7, one)
    assert flow_of_job(USER, 8, same) == flow != flow_of_job(USER, 9, other)
    assert watched_key(flow, one) == "bell:west"
    careless = Definition(sent(), Policy(breaker=False))
    assert flow_of_job(USER, 7, careless) == flow_of(USER, PART), "with the others that only slots can hold back"


async def test_it_runs_and_its_answer_is_kept_and_shown() -> None:
    ended: list[Settlement] = []
    reported = asyncio.Event()

    def report(settlements: Any) -> None:
        ended.extend(settlements)
        reported.set()

    runners: dict[type[TargetKind], Runner] = {LogTarget: LogRunner(), BellTarget: BellRunner()}
    executor = LocalExecutor(1, ManualClock(), runners=runners, report=report, unsettled=lambda: 0)
    definition = parsed(sent(strokes=3)).definition
    executor.start(
        [LaunchedRun(JobId(1024), USER, 1, DefinitionId(1), definition, "ding", START, START, executor=NodeId(1))]
    )
    assert executor.running == 1
    await asyncio.wait_for(reported.wait(), 5)
    outcome = ended[0].outcome
    kept = msgspec.json.decode(msgspec.json.encode(Result(outcome.failure, outcome.answer)))
    answer: Any = msgspec.convert(kept["response"], Answer | BellAnswer)
    assert answer == BellAnswer("ding ding ding ")
    run = Run(JobId(1024), 1, outcome.state, START, START, START, START, "node-1", outcome.failure, answer)
    assert msgspec.to_builtins(run_view(run))["response"] == {"kind": "bell", "sound": "ding ding ding "}
    await executor.stop(0.0)
