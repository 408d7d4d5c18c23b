"""Natural batches: how many are under way, and what each holds."""

from __future__ import annotations

import asyncio

from duetime.engine.batch import NaturalBatch


class Store:
    """Holds every batch until the test lets it go."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self._open: list[asyncio.Event] = []

    async def flush(self, items: list[int]) -> None:
        self.batches.append(items)
        self._open.append(asyncio.Event())
        await self._open[-1].wait()

    async def answer(self, *numbers: int) -> None:
        for number in numbers:
            self._open[number].set()
        await settled()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_what_comes_meanwhile_is_the_next_batch() -> None:
    store = Store()
    batch = NaturalBatch(store.flush, limit=lambda: 10, width=lambda: 1)
    batch.put(1)
    await settled()
    batch.put(2)
    batch.put(3)
    await settled()
    assert store.batches == [[1]]
    await store.answer(0)
    assert store.batches == [[1], [2, 3]]
    await store.answer(1)
    await batch.drain()


async def test_only_whole_batches_go_deep() -> None:
    """Beyond the width, a batch begins when it is full: a slow commit costs no rate, and no small batches."""
    store = Store()
    batch = NaturalBatch(store.flush, limit=lambda: 3, width=lambda: 1, deep=lambda: 3)
    batch.put(0)
    await settled()
    batch.put(1, 2)
    await settled()
    assert store.batches == [[0]]
    batch.put(*range(3, 12))
    await settled()
    assert store.batches == [[0], [1, 2, 3], [4, 5, 6]]
    await store.answer(1)
    assert store.batches[3:] == [[7, 8, 9]]
    await store.answer(2, 3)
    assert len(store.batches) == 4
    await store.answer(0)
    assert store.batches[4:] == [[10, 11]]
    await store.answer(4)
    await batch.drain()


async def test_sizes_add_up_to_the_limit() -> None:
    store = Store()
    batch = NaturalBatch(store.flush, limit=lambda: 5, width=lambda: 1, size=lambda item: item)
    batch.put(3, 2, 1, 9, 1)
    await settled()
    for number in range(4):
        await store.answer(number)
    assert store.batches == [[3, 2], [1], [9], [1]]
    await batch.drain()
