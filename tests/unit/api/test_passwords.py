"""Passwords are hashed with Argon2id, off the event loop, and an unknown name costs as much work as a known one."""

from __future__ import annotations

import asyncio
import threading

import pytest
from argon2 import Type, extract_parameters

from duetime.api.auth import passwords
from duetime.api.auth.passwords import Passwords, hash_password, matches
from duetime.model.errors import OverLimit


def test_the_hash_is_argon2id_of_the_size_that_is_asked_for() -> None:
    parameters = extract_parameters(hash_password("correct horse"))
    assert parameters.type is Type.ID
    assert parameters.memory_cost >= 19 * 1024
    assert parameters.time_cost >= 2


def test_only_the_password_matches_and_no_two_hashes_are_the_same() -> None:
    one, two = hash_password("correct horse"), hash_password("correct horse")
    assert one != two
    assert matches(one, "correct horse")
    assert not matches(one, "correct horse ")
    assert not matches("not a hash", "correct horse")
    assert not matches("", "")


async def test_an_unknown_user_costs_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []

    def spy(password_hash: str, password: str) -> bool:
        checked.append(password_hash)
        return matches(password_hash, password)

    pool = Passwords()
    known = await pool.hash("correct horse")
    monkeypatch.setattr(passwords, "matches", spy)
    assert await pool.matches(known, "correct horse")
    assert not await pool.matches(known, "wrong horse")
    assert not await pool.matches(None, "correct horse")
    assert checked[:2] == [known, known]
    assert extract_parameters(checked[2]) == extract_parameters(known)
    pool.close()


async def test_without_a_hash_no_password_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Passwords()
    monkeypatch.setattr(passwords, "matches", lambda *_: True)
    assert not await pool.matches(None, "whatever")
    pool.close()


async def test_the_queue_is_bounded_and_the_loop_stays_free(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, running = threading.Event(), threading.Semaphore(0)
    threads: set[str] = set()

    def slow(password: str) -> str:
        threads.add(threading.current_thread().name)
        running.release()
        gate.wait()
        return password

    pool = Passwords(threads=2, max_waiting=4)
    monkeypatch.setattr(passwords, "hash_password", slow)
    waiting = [asyncio.ensure_future(pool.hash(str(number))) for number in range(4)]
    for _ in range(2):
        await asyncio.to_thread(running.acquire)
    with pytest.raises(OverLimit):
        await pool.hash("one too many")
    gate.set()
    assert await asyncio.gather(*waiting) == ["0", "1", "2", "3"]
    assert len(threads) == 2
    assert await pool.hash("again") == "again"
    pool.close()
