"""Programs as runs: what they get, how their ends are judged, and that nothing of them is left behind."""

from __future__ import annotations

import asyncio
import os
import pwd
import signal
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from duetime.clock.system import SystemClock
from duetime.executor.attempt import attempt
from duetime.executor.targets.shell.access import ProgramAccess, ProgramLimits, SystemUser
from duetime.executor.targets.shell.directories import PREFIX, clear_leftovers
from duetime.executor.targets.shell.runner import ShellRunner
from duetime.model.errors import Invalid
from duetime.model.message import with_trace
from duetime.model.outcome import Outcome
from duetime.model.policy import Policy
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.port import TargetRules
from duetime.model.targets.shell import ShellAnswer, ShellTarget
from harness.waiting import eventually
from integration.executor.local_server import AT, run_of

RULES = TargetRules(programs={"ada": ("*",)}, directories=("/tmp", "/srv/*"))


def clock() -> SystemClock:
    async def now() -> datetime:
        return AT

    return SystemClock(now)


class Log:
    """A store of lines that may be away."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.away = False

    async def add(self, run: LaunchedRun, first: int, lines: Sequence[str]) -> None:
        if self.away:
            raise ConnectionError("the store is away")
        assert first == len(self.lines)
        self.lines += lines


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def access(tmp_path: Path, log: Log) -> ProgramAccess:
    async def username(user_id: int) -> str:
        return "ada"

    nobody = pwd.getpwnam("nobody")
    root = os.geteuid() == 0
    for one in (tmp_path, *tmp_path.parents[:3]):
        one.chmod(0o755)
    return ProgramAccess(
        RULES,
        username,
        log.add,
        limits=ProgramLimits(output=1 << 20, memory=256 << 20, processes=64, cpu=20),
        run_as=SystemUser(nobody.pw_uid, nobody.pw_gid, ()) if root else None,
        directory=tmp_path,
        stop_grace=0.2,
    )


@pytest.fixture
async def runner(access: ProgramAccess) -> AsyncIterator[ShellRunner]:
    runner = ShellRunner(access, clock())
    yield runner
    await runner.close()


def sh(script: str, **more: Any) -> ShellTarget:
    target = ShellTarget(script=script, **more)
    target.check()
    return target


async def run(runner: ShellRunner, target: ShellTarget, message: str = "", seconds: float = 30) -> Outcome:
    """Carry out one attempt as an executor does, with its time-out."""
    return await attempt(run_of(target, message, Policy(timeout=seconds)), runner, 60)


def answer_of(outcome: Outcome) -> ShellAnswer:
    assert isinstance(outcome.answer, ShellAnswer), outcome
    return outcome.answer


def alive(pid: int) -> bool:
    """Whether a process runs. A zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def exists(directory: str) -> bool:
    return Path(directory).exists()


def living_of(uid: int) -> list[int]:
    """The processes of a user of the machine."""
    found = [int(one.name) for one in Path("/proc").glob("[0-9]*") if one.exists() and one.stat().st_uid == uid]
    return [pid for pid in found if alive(pid)]


def roots(directory: Path) -> list[Path]:
    """The directories of executors."""
    return list(directory.glob(f"{PREFIX}*"))


def started(log: Log) -> list[int]:
    """The process ids that the program has printed."""
    return [int(line) for line in log.lines if line.isdigit()]


async def test_a_program_gets_its_arguments_the_message_and_its_identity(runner: ShellRunner, access: Any) -> None:
    done = await run(runner, ShellTarget(("printf", "%s|", "a b", "$HOME", "*")))
    assert (done.state, answer_of(done).stdout) == (JobState.SUCCEEDED, "a b|$HOME|*|")
    done = await run(runner, ShellTarget(("cat",)), '\x1e{"order":7}')
    assert answer_of(done).stdout == '{"order":7}'
    done = await run(runner, ShellTarget(("env",), env={"A": "1"}, secret_env={"B": "s3cret-canary"}))
    found = dict(line.split("=", 1) for line in answer_of(done).stdout.splitlines())
    directory = found.pop("DUETIME_DIRECTORY")
    assert found == {
        "A": "1",
        "B": "(hidden)",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": directory,
        "DUETIME_JOB_ID": "1024",
        "DUETIME_ATTEMPT": "1",
        "DUETIME_NOMINAL": "2026-03-01T09:30:00Z",
        "DUETIME_DUE": "2026-03-01T09:30:00Z",
        "DUETIME_IDEMPOTENCY_KEY": "1024/2026-03-01T09:30:00Z",
    }
    assert not exists(directory)


async def test_a_program_of_a_traced_job_gets_its_span(runner: ShellRunner) -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    outcome = await run(runner, sh('cat; echo " $TRACEPARENT"'), with_trace("hello", parent))
    assert answer_of(outcome).stdout == f"hello {parent}\n"
    assert answer_of(await run(runner, sh("echo $TRACEPARENT"))).stdout == "\n"


async def test_a_program_runs_as_another_user_without_privileges(runner: ShellRunner, access: ProgramAccess) -> None:
    if access.run_as is None:
        pytest.skip("only root can become another user")
    done = await run(runner, sh("id -u; id -G; pwd; touch x && ls; grep -E 'NoNewPrivs|CapEff' /proc/self/status"))
    uid, groups, where, files, *status = answer_of(done).stdout.splitlines()
    assert (uid, groups.split()[0]) == (str(access.run_as.uid), str(access.run_as.gid))
    assert where.startswith(str(access.directory))
    assert files == "script"
    assert {line.split()[1] for line in status[-2:]} == {"1", "0000000000000000"}


@pytest.mark.parametrize(
    ("code", "more", "state", "final"),
    [
        (0, {}, JobState.SUCCEEDED, False),
        (3, {}, JobState.FAILED, False),
        (3, {"success_codes": (0, 3)}, JobState.SUCCEEDED, False),
        (0, {"success_codes": (3,)}, JobState.FAILED, False),
        (3, {"fail_codes": (3,)}, JobState.FAILED, True),
        (3, {"retry_codes": (75,)}, JobState.FAILED, True),
        (75, {"retry_codes": (75,)}, JobState.FAILED, False),
    ],
)
async def test_the_exit_code_decides(
    runner: ShellRunner, code: int, more: dict[str, Any], state: JobState, final: bool
) -> None:
    done = await run(runner, sh(f"echo why >&2; exit {code}", **more))
    assert (done.state, done.final, answer_of(done).exit_code) == (state, final, code)
    if done.failure is not None:
        assert (done.failure.kind, done.failure.message) == (f"exit_{code}", f"The program ended with code {code}: why")


async def test_a_signal_is_a_failure_with_its_name(runner: ShellRunner) -> None:
    done = await run(runner, sh("kill -SEGV $$"))
    assert done.failure is not None
    assert (done.failure.kind, answer_of(done).signal) == ("sigsegv", "SIGSEGV")


@pytest.mark.parametrize("target", [ShellTarget(("no-such-program",)), ShellTarget(("true",), cwd="/srv/none")])
async def test_what_cannot_start_is_not_tried_again(runner: ShellRunner, target: ShellTarget) -> None:
    done = await run(runner, target)
    assert done.final
    assert done.failure is not None
    assert (done.failure.kind, "No such file or directory" in done.failure.message) == ("start", True)


async def test_the_log_has_what_was_printed_without_secrets(runner: ShellRunner, log: Log) -> None:
    done = await run(
        runner, sh('echo out; echo "$KEY" >&2; printf "\\377\\000end"', secret_env={"KEY": "s3cret-canary"})
    )
    assert sorted(log.lines) == sorted(["out", "(hidden)", "\ufffd\ufffdend"])
    assert (answer_of(done).stderr, answer_of(done).stdout) == ("(hidden)\n", "out\n\ufffd\ufffdend")


async def test_a_log_store_that_is_away_loses_lines_and_no_run(runner: ShellRunner, log: Log) -> None:
    log.away = True
    assert (await run(runner, sh("seq 1000"))).state is JobState.SUCCEEDED
    assert log.lines == []


async def test_what_no_log_has_room_for_is_counted_in_it(runner: ShellRunner, log: Log) -> None:
    await run(runner, sh("seq -f %0100.f 9000"))
    assert log.lines[0] == "1".zfill(100)
    assert "lines are not in this log" in log.lines[-1]
    assert sum(map(len, log.lines)) < 300_000


@pytest.mark.parametrize("stubborn", ["", "trap '' TERM; "])
async def test_a_time_out_ends_everything_that_was_started(runner: ShellRunner, log: Log, stubborn: str) -> None:
    """Children in a session of their own end too, and so does what ignores SIGTERM."""
    script = f"{stubborn}echo $$; (setsid sh -c 'echo $$; exec sleep 600' &) ; sleep 600"
    done = await run(runner, sh(script), seconds=2)
    assert done.failure is not None
    assert done.failure.kind == "timeout"
    assert len(started(log)) == 2
    assert not any(map(alive, started(log)))


async def test_what_a_program_leaves_behind_ends_with_it(runner: ShellRunner, log: Log) -> None:
    done = await run(runner, sh("setsid sh -c 'echo $$; exec sleep 600' & sleep 0.3; echo done"))
    assert done.state is JobState.SUCCEEDED
    [left] = started(log)
    assert not alive(left)


async def test_a_fork_bomb_is_bounded_and_ends(runner: ShellRunner, access: ProgramAccess) -> None:
    if access.run_as is None:
        pytest.skip("the number of processes is counted per user")
    done = await run(runner, sh("b() { b | b & }; b; sleep 600"), seconds=3)
    assert done.failure is not None
    assert living_of(access.run_as.uid) == []


async def test_a_flood_of_output_ends_the_program(runner: ShellRunner, log: Log) -> None:
    done = await run(runner, sh("yes flood"))
    assert done.final
    assert done.failure is not None
    assert done.failure.kind == "output"
    assert answer_of(done).signal == "SIGKILL"


async def test_memory_processor_time_and_files_are_limited(access: ProgramAccess) -> None:
    small = replace(access, limits=ProgramLimits(memory=64 << 20, cpu=1, file_size=1 << 20, processes=64))
    runner = ShellRunner(small, clock())
    try:
        python = "/usr/bin/env python3 -c"
        assert answer_of(await run(runner, sh(f'{python} "b = bytearray(1 << 30)"'))).exit_code == 1
        assert answer_of(await run(runner, sh("while :; do :; done"))).signal in ("SIGXCPU", "SIGKILL")
        assert answer_of(await run(runner, sh("head -c 2000000 /dev/zero > big; ls -l big"))).exit_code == 0
        assert " 1048576 " in answer_of(await run(runner, sh("head -c 2000000 /dev/zero > big; ls -l big"))).stdout
    finally:
        await runner.close()


async def test_a_program_dies_with_its_executor(access: ProgramAccess, tmp_path: Path) -> None:
    """An executor that is killed with SIGKILL leaves no program, and the next one removes its directory."""
    marks = tmp_path / "marks"
    marks.mkdir()
    marks.chmod(0o777)
    pid = os.fork()
    if not pid:
        try:
            plain = replace(access, add_lines=None)
            target = sh(f"echo $$ > {marks}/a; setsid sh -c 'echo $$ > {marks}/b; exec sleep 600' & sleep 600")
            asyncio.run(ShellRunner(plain, clock()).run(run_of(target, "")))
        finally:
            os._exit(0)

    def pids() -> list[int] | None:
        found = [one.read_text().strip() for one in (marks / "a", marks / "b") if one.exists()]
        return [int(one) for one in found] if len(found) == 2 and all(found) else None

    await eventually(lambda: pids() is not None, 20)
    programs = pids() or []
    assert all(map(alive, programs))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)  # noqa: ASYNC222
    await eventually(lambda: not any(map(alive, programs)), 20)
    assert roots(tmp_path)
    clear_leftovers(tmp_path)
    assert not roots(tmp_path)


async def test_programs_that_are_not_allowed_are_refused_by_the_executor_too(access: ProgramAccess) -> None:
    rules = TargetRules(programs={"ada": ("backup", "/opt/jobs/*"), "eve": ("*",)})
    runner = ShellRunner(replace(access, rules=rules), clock())
    for target in (sh("true"), ShellTarget(("rm", "-r", "/")), ShellTarget(("/bin/backup",))):
        done = await run(runner, target)
        assert done.final
        assert done.failure is not None
        assert done.failure.kind == "refused"
        assert "You may not run" in done.failure.message


def test_each_user_has_its_programs_and_by_default_nobody_has_any() -> None:
    rules = TargetRules(programs={"ada": ("backup",), "*": ("true",)})
    ShellTarget(("backup",)).check_rules(rules, "ada")
    ShellTarget(("true",)).check_rules(rules, "eve")
    with pytest.raises(Invalid, match="You may not run 'backup'"):
        ShellTarget(("backup",)).check_rules(rules, "eve")
    with pytest.raises(Invalid, match="Programs are not allowed here"):
        ShellTarget(("true",)).check_rules(TargetRules(), "ada")
