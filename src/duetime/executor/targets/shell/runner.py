"""Carries out `shell` targets: starts the program below a keeper, reads what it prints, and judges how it ended."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from duetime.clock.port import Clock
from duetime.executor.targets.http.request import idempotency_key, rfc3339
from duetime.executor.targets.shell import keeper
from duetime.executor.targets.shell.access import ProgramAccess
from duetime.executor.targets.shell.directories import VARIABLE, RunDirectories
from duetime.executor.targets.shell.output import LogWriter, Stream
from duetime.model.errors import DuetimeError, Invalid, NotFound, StoreAway
from duetime.model.message import message_sent
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.masking import mask_of
from duetime.model.targets.shell import INSIDE, ShellAnswer, ShellTarget
from duetime.tracing.hand_on import HandOn
from duetime.tracing.port import Traces

CHUNK = 65_536
STATUS_BYTES = 4096
SCRIPT = "script"


class ShellRunner:
    """Runs programs, each with a keeper, a directory and a log of its own."""

    waits: ClassVar[Literal[True]] = True

    def __init__(self, access: ProgramAccess, clock: Clock, traces: Traces | None = None) -> None:
        self._access, self._clock, self._traces = access, clock, traces or HandOn()
        self._directories = RunDirectories(access.directory, access.run_as)

    async def run(self, run: LaunchedRun) -> Outcome:
        """Run the program to its end. A cancellation ends it with all that it started."""
        target = run.definition.target
        if not isinstance(target, ShellTarget):
            return failed("defect", f"A target of kind '{target.kind}' is no program.")
        try:
            await self._check(target, run)
        except Invalid as error:
            return replace(failed("refused", error.message), final=True)
        except DuetimeError as error:
            return failed("connection", f"The job's user could not be looked up: {error.message}")
        if target.artifact is UNSET:
            return await self._run_with(None, target, run)
        return await self._run_artifact(target.artifact, target, run)

    async def close(self) -> None:
        """Remove the directory of this process."""
        await asyncio.to_thread(self._directories.remove_all)

    async def _check(self, target: ShellTarget, run: LaunchedRun) -> None:
        name = None if self._access.username is None else await self._access.username(run.user_id)
        if name is None and self._access.username is not None:
            raise Invalid("The job's user does not exist any more.")
        target.check_rules(self._access.rules, name or "")

    async def _run_artifact(self, reference: str, target: ShellTarget, run: LaunchedRun) -> Outcome:
        """Run with the version that the target names now. The answer records which one that was."""
        access = self._access.artifacts
        if access is None:
            return replace(failed("artifact", "This executor has no artifacts."), final=True)
        try:
            version = await access.resolve(run.user_id, reference)
            if version is None:
                raise NotFound(f"There is no artifact '{reference}'.")
            async with access.cache.held(version) as path:
                return await self._run_with(_Artifact(path, version.reference), target, run)
        except StoreAway as error:
            return failed("artifact", error.message)
        except DuetimeError as error:
            return replace(failed("artifact", error.message), final=True)
        except OSError as error:
            return failed("artifact", f"The artifact could not be kept on the executor: {error.strerror or error}.")

    async def _run_with(self, artifact: _Artifact | None, target: ShellTarget, run: LaunchedRun) -> Outcome:
        directory = await asyncio.to_thread(self._directories.make)
        try:
            return await self._run_in(directory, artifact, target, run)
        finally:
            await asyncio.shield(asyncio.to_thread(partial(shutil.rmtree, directory, ignore_errors=True)))

    async def _run_in(
        self, directory: Path, artifact: _Artifact | None, target: ShellTarget, run: LaunchedRun
    ) -> Outcome:
        spec, given = self._spec(directory, artifact, target, run)
        reading, writing = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-I", "-S", keeper.__file__, str(writing),
                stdin=PIPE, stdout=PIPE, stderr=PIPE, pass_fds=(writing,), start_new_session=True, env={}, cwd="/",
            )  # fmt: skip
        except OSError as error:
            os.close(reading)
            return failed("start", f"The keeper of the program did not start: {error.strerror}.")
        finally:
            os.close(writing)
        with os.fdopen(reading, "rb") as status:
            output = _Output(self._log_writer(target, run), self._access.limits.output, process)
            try:
                await self._follow(process, spec, given, output)
            except asyncio.CancelledError:
                await asyncio.shield(self._stop(process, output))
                raise
            finally:
                await output.close()
            report = status.read(STATUS_BYTES)
        return _judge(target, report, output, None if artifact is None else artifact.reference)

    async def _follow(self, process: Process, spec: bytes, given: bytes, output: _Output) -> None:
        line = process.stdin
        if line is not None:
            with suppress(BrokenPipeError, ConnectionResetError):
                line.write(b"%0*d" % (keeper.LENGTH_DIGITS, len(spec)) + spec + given)
                await line.drain()
        await output.read()
        await process.wait()

    async def _stop(self, process: Process, output: _Output) -> None:
        """Ask the keeper for a gentle end, which it turns into a hard one after its grace."""
        line = process.stdin
        if line is not None and process.returncode is None:
            with suppress(BrokenPipeError, ConnectionResetError):
                line.write(b"t")
        await output.read()
        await process.wait()

    def _log_writer(self, target: ShellTarget, run: LaunchedRun) -> LogWriter | None:
        add = self._access.add_lines
        if add is None:
            return None
        return LogWriter(partial(add, run), self._clock, mask_of(frozenset(target.secrets().values())))

    def _trace(self, run: LaunchedRun) -> dict[str, str]:
        parent = self._traces.parent_of_run(run)
        return {} if parent is None else {"TRACEPARENT": parent}

    def _spec(
        self, directory: Path, artifact: _Artifact | None, target: ShellTarget, run: LaunchedRun
    ) -> tuple[bytes, bytes]:
        """Returns what the keeper is to do, and the program's input."""
        access, words = self._access, list(target.words())
        if artifact is not None and words[0].startswith(INSIDE):
            words[0] = str(artifact.path / words[0])
        if target.script is not UNSET:
            script = directory / SCRIPT
            script.write_text(target.script)
            if access.run_as is not None:
                os.chown(script, access.run_as.uid, access.run_as.gid)
            words.append(str(script))
        given = message_sent(run.message)[0].encode()
        limits = access.limits
        user = access.run_as
        spec: dict[str, Any] = {
            "argv": words,
            "env": {
                **access.environment,
                "PATH": access.path,
                "HOME": str(directory),
                **self._trace(run),
                **target.env,
                **target.secret_env,
                **_identity(run),
                **({} if artifact is None else {"DUETIME_ARTIFACT": str(artifact.path)}),
                VARIABLE: str(directory),
            },
            "cwd": str(directory) if target.cwd is UNSET else target.cwd,
            "input": len(given),
            "grace": access.stop_grace,
            "uid": None if user is None else user.uid,
            "gid": None if user is None else user.gid,
            "groups": [] if user is None else user.groups,
            "limits": {
                "cpu": limits.cpu,
                "memory": limits.memory,
                "file_size": limits.file_size,
                "open_files": limits.open_files,
                "processes": limits.processes,
            },
        }
        return msgspec.json.encode(spec), given


class _Artifact(NamedTuple):
    """The artifact of a run: where it is, and which version."""

    path: Path
    reference: str


class _Output:
    """Both streams of a program. One that prints more than its limit is ended."""

    def __init__(self, log: LogWriter | None, limit: int, process: Process) -> None:
        self._log, self.limit, self._process = log, limit, process
        self.stdout, self.stderr = Stream(), Stream()
        self.bytes = 0

    @property
    def too_much(self) -> bool:
        return self.bytes > self.limit

    async def read(self) -> None:
        """Read until both streams end, which is when the last process has closed them."""
        await asyncio.gather(
            self._read(self._process.stdout, self.stdout), self._read(self._process.stderr, self.stderr)
        )

    async def close(self) -> None:
        """Store the last lines."""
        if self._log is not None:
            self._log.add([*self.stdout.rest(), *self.stderr.rest()])
            await asyncio.shield(self._log.close())

    async def _read(self, reader: asyncio.StreamReader | None, stream: Stream) -> None:
        while reader is not None and (data := await reader.read(CHUNK)):
            self.bytes += len(data)
            if self.too_much:
                self._kill()
                continue
            lines = stream.add(data)
            if self._log is not None:
                self._log.add(lines)

    def _kill(self) -> None:
        line = self._process.stdin
        if line is not None and not line.is_closing():
            line.close()


def _judge(target: ShellTarget, report: bytes, output: _Output, artifact: str | None) -> Outcome:
    if not report:
        return failed("crash", "The keeper of the program was killed, and the program with it.")
    said = msgspec.json.decode(report, type=dict[str, Any])
    if "error" in said:
        return replace(failed("start", f"The program did not start. {said['error']}."), final=True)
    said |= {"stdout": output.stdout.end(), "stderr": output.stderr.end(), "artifact": artifact}
    answer = ShellAnswer(**said, output_bytes=output.bytes)
    if output.too_much:
        why = f"The program printed more than the {output.limit} bytes that the operator allows."
        return replace(failed("output", why, answer=answer), final=True)
    if answer.signal is not None:
        return failed(answer.signal.lower(), f"The program was ended by {answer.signal}.", answer=answer)
    code = answer.exit_code
    if code in target.success_codes:
        return Outcome(JobState.SUCCEEDED, None, answer)
    last = (answer.stderr or answer.stdout).strip().rpartition("\n")[2][:200]
    outcome = failed(f"exit_{code}", f"The program ended with code {code}{': ' + last if last else '.'}", answer=answer)
    return replace(outcome, final=code is not None and target.is_final(code))


def _identity(run: LaunchedRun) -> dict[str, str]:
    """Returns the variables that say which run this is. The idempotency key is the same for all attempts."""
    nominal = rfc3339(run.execute_at)
    return {
        "DUETIME_JOB_ID": str(run.job_id),
        "DUETIME_ATTEMPT": str(run.attempt),
        "DUETIME_NOMINAL": nominal,
        "DUETIME_DUE": rfc3339(run.due_at),
        "DUETIME_IDEMPOTENCY_KEY": idempotency_key(run, nominal),
    }
