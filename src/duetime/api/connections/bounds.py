"""The bounds of what connections may cost a process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

HEAD_BYTES: Final = 64 * KIB
"""The request line and the headers. The framing of a chunked body (extensions and trailers) may have as much."""
MAX_HEADERS: Final = 128
MAX_PIPELINED: Final = 32
"""Requests that wait on one connection for the answer to an earlier one."""
CHUNK_FRAMING: Final = 24
"""Bytes around a chunk that are no extension: its size in hexadecimal, and two line ends."""
LINGER_SECONDS: Final = 1.0
LINGER_BYTES: Final = MIB
"""How long and how much of the input is dropped after a refusal, so that the client reads the refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How many connections there may be, and how long each may take for what."""

    connections: int = 1024
    per_address: int = 256
    reserve: int = 16
    """Further connections, which get answers about health, and refusals."""
    header_timeout: float = 10.0
    body_timeout: float = 30.0
    idle_timeout: float = 75.0
    """Longer than proxies keep a connection, so that the proxy is the one to close it."""
    write_timeout: float = 30.0
    slowest: int = 16 * KIB
    """Bytes a second. A body or an answer gets one more second for each so many bytes that have come or gone."""
    answer_memory: int = 128 * MIB
    """Bytes of answers that clients have not read yet."""

    @property
    def sweep_every(self) -> float:
        """Seconds between two looks at the deadlines."""
        shortest = min(self.header_timeout, self.body_timeout, self.idle_timeout, self.write_timeout)
        return min(1.0, max(0.02, shortest / 4))
