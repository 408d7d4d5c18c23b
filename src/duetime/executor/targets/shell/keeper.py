"""Runs one program, and ends it with all of its descendants when it is over.

It is a program of its own, run as `python -I -S keeper.py STATUS_FD`. It imports nothing of Duetime, so that it starts
in milliseconds.

Its standard input is the line to the executor: ten digits, which say how long the JSON after them is; the JSON, which
says what to run; the program's input. After that, one byte asks for a gentle end (SIGTERM, then SIGKILL). The end of
the stream ends everything at once: it is also what an executor that was killed leaves. What the program leaves behind
is adopted by the keeper (`PR_SET_CHILD_SUBREAPER`) and killed. If the keeper itself is killed, the kernel kills the
program.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
LIMITS = {
    "cpu": resource.RLIMIT_CPU,
    "memory": resource.RLIMIT_DATA,
    "file_size": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
}
LENGTH_DIGITS = 10
PAUSE = 0.01

_libc = ctypes.CDLL(None, use_errno=True)


def main(status: int) -> None:
    """Run what standard input says, and write how it ended to the file descriptor `status`."""
    os.set_inheritable(status, False)
    spec, data = _read_spec()
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, _heed)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    started = _start(spec, data)
    os.close(1)
    os.close(2)
    report = {"error": started} if isinstance(started, str) else _watch(started, ended, spec["grace"])
    _kill_descendants()
    os.write(status, json.dumps(report).encode())


def _heed(number: int, frame: object) -> None:
    """Let the signal be seen: the kernel drops an ignored one, and `select` then does not wake."""


def _read_spec() -> tuple[dict[str, Any], bytes]:
    spec = json.loads(_read_all(int(_read_all(LENGTH_DIGITS))))
    return spec, _read_all(spec["input"])


def _read_all(missing: int) -> bytes:
    parts: list[bytes] = []
    while missing:
        parts.append(_read(min(missing, 1 << 16)))
        missing -= len(parts[-1])
    return b"".join(parts)


def _read(count: int) -> bytes:
    data = os.read(0, count)
    if not data:
        raise SystemExit(1)  # the executor was killed before it said what to run
    return data


def _start(spec: dict[str, Any], data: bytes) -> int | str:
    """Returns the process id of the program, or why it did not start."""
    given = os.memfd_create("input")
    with os.fdopen(os.dup(given), "wb") as file:
        file.write(data)
    os.lseek(given, 0, os.SEEK_SET)
    failed, failing = os.pipe()
    keeper = os.getpid()
    pid = os.fork()
    if not pid:
        _become(spec, given, failing, keeper)
    os.close(given)
    os.close(failing)
    with os.fdopen(failed, "rb") as file:
        why = file.read()
    return why.decode() or pid


def _become(spec: dict[str, Any], given: int, failing: int, keeper: int) -> NoReturn:
    """Turn this process into the program."""
    try:
        os.setsid()
        os.dup2(given, 0)
        for one in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGXFSZ):
            signal.signal(one, signal.SIG_DFL)
        for name, value in spec["limits"].items():
            _limit(LIMITS[name], value)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if spec["uid"] is not None:
            os.setgroups(spec["groups"])
            os.setgid(spec["gid"])
            os.setuid(spec["uid"])
        os.umask(0o077)
        os.chdir(spec["cwd"])
        _prctl(PR_SET_NO_NEW_PRIVS, 1)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == keeper:
            os.execvpe(spec["argv"][0], spec["argv"], spec["env"])  # noqa: S606
    except OSError as error:
        where = spec["cwd"] if error.filename == spec["cwd"] else spec["argv"][0]
        os.write(failing, f"{where}: {error.strerror}".encode())
    finally:
        os._exit(127)


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    # One second more than the soft limit of processor time: SIGXCPU can be handled, and then SIGKILL follows.
    resource.setrlimit(kind, (value, value + 1 if kind == resource.RLIMIT_CPU and hard < 0 else value))


def _watch(pid: int, ended: int, grace: float) -> dict[str, Any]:
    """Wait until the program has ended, and end it when the executor says so or is gone."""
    line: list[int] = [0]
    kill_at: float | None = None
    while True:
        if (report := _reap(pid)) is not None:
            return report
        left = None if kill_at is None else max(0.0, kill_at - time.monotonic())
        ready, _, _ = select.select([*line, ended], [], [], left)
        if ended in ready:
            os.read(ended, 512)
        if 0 in ready:
            if os.read(0, 1):
                _signal_group(pid, signal.SIGTERM)
                kill_at = time.monotonic() + grace
            else:
                line, kill_at = [], time.monotonic()
        if kill_at is not None and time.monotonic() >= kill_at:
            kill_at = None
            _kill_descendants(spare=pid)
            _signal_group(pid, signal.SIGKILL)


def _reap(pid: int) -> dict[str, Any] | None:
    """Collect ended children. Returns how the program ended, if it has."""
    while True:
        try:
            one, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return {"error": "The program's end was not seen."}
        if one == 0:
            return None
        if one == pid:
            code = os.waitstatus_to_exitcode(status)
            return {
                "exit_code": code if code >= 0 else None,
                "signal": None if code >= 0 else signal.Signals(-code).name,
                "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
                "memory_bytes": usage.ru_maxrss * 1024,
            }


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _kill_descendants(spare: int | None = None) -> None:
    """Stop all descendants first, so that none starts others, then kill them; `spare` is left for its parent to see."""
    stopped: set[int] = set()
    while new := _descendants() - stopped:
        for pid in new:
            _send(pid, signal.SIGSTOP)
        stopped |= new
    for pid in stopped - {spare}:
        _send(pid, signal.SIGKILL)
    while spare is None:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
        if late := _descendants():
            for pid in late:
                _send(pid, signal.SIGKILL)
            time.sleep(PAUSE)


def _descendants() -> set[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except OSError:
                continue
            if state != b"Z":
                children.setdefault(int(parent), []).append(int(name))
    found: set[int] = set()
    open_ = [os.getpid()]
    while open_:
        for child in children.get(open_.pop(), ()):
            found.add(child)
            open_.append(child)
    return found


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main(int(sys.argv[1]))
