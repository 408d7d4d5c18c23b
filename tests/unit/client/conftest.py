"""The scripted server, in the test's own loop."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from unit.client.scripted_api import ScriptedApi


@pytest.fixture
async def api() -> AsyncIterator[ScriptedApi]:
    scripted = ScriptedApi()
    await scripted.start()
    yield scripted
    await scripted.stop()
