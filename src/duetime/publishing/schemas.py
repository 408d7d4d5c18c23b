"""The JSON Schemas of what is published. `docs/schemas` has them as files, and a test compares these."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from duetime.publishing.cloud_events import JobEndedEvent
from duetime.publishing.dead_letters import DeadLetterBody

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
TYPES: Final = {"job-ended": JobEndedEvent, "dead-letter": DeadLetterBody}


def schema_of(name: str) -> dict[str, Any]:
    """Returns the schema of a published value."""
    return {"$schema": DRAFT, **msgspec.json.schema(TYPES[name])}


def written_schema(name: str) -> bytes:
    """Returns a schema as its file has it."""
    return msgspec.json.format(msgspec.json.encode(schema_of(name)), indent=2) + b"\n"
