"""The beat: tells the server that the worker lives, from a thread and a connection of its own.

A function that blocks the event loop does not stop it, and it ends after everything else of the worker.
"""

from __future__ import annotations

import http.client
import logging
import ssl
import threading
from collections.abc import Callable
from typing import Protocol
from urllib.parse import urlsplit

import msgspec

from ...client.answers import decode_envelope
from .calls import WORKERS
from .wire import Beat, BeatAnswer

log = logging.getLogger("duetime.work")
TIMEOUT = 5.0
LONGEST_BODY = 4 * 1024 * 1024


class BeatRefused(Exception):
    """The server knows the worker no more (404), or does not let it in (401, 403)."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the server refused the beat with {status}")
        self.status = status


class Beating(Protocol):
    """What a beat asks the worker, and tells it. All are called from the thread of the beat."""

    def beat_body(self) -> Beat:
        """Returns what to send."""
        ...

    def beat_failed(self, body: Beat) -> None:
        """Takes back what was not sent."""
        ...

    def beat_answered(self, answer: BeatAnswer) -> None:
        """Carries out the answer."""
        ...

    def beat_refused(self, status: int) -> None:
        """The server knows the worker no more."""
        ...


class BeatThread:
    """Sends a beat every interval until it is stopped."""

    def __init__(self, url: str, worker: str, every: float, token: Callable[[], str | None], beating: Beating) -> None:
        self._parts = urlsplit(url)
        self._path = f"{self._parts.path}{WORKERS}/{worker}/beat"
        self._every, self._token, self._beating = every, token, beating
        self._stop, self._nudge = threading.Event(), threading.Event()
        self._connection: http.client.HTTPConnection | None = None
        self._thread = threading.Thread(target=self._run, name="duetime-beat", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def nudge(self) -> None:
        """Sends the next beat at once."""
        self._nudge.set()

    def stop(self) -> None:
        """Ends the thread after the beat that it is sending."""
        self._stop.set()
        self._nudge.set()
        if self._thread.ident is not None:
            self._thread.join(TIMEOUT + 1)

    def _run(self) -> None:
        while not self._stop.is_set():
            self.once()
            self._nudge.wait(self._every)
            self._nudge.clear()
        self._close()

    def once(self) -> None:
        """Sends one beat."""
        body = self._beating.beat_body()
        try:
            answer = self._send(msgspec.json.encode(body))
        except BeatRefused as refused:
            self._beating.beat_failed(body)
            self._beating.beat_refused(refused.status)
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as error:
            self._close()
            self._beating.beat_failed(body)
            log.warning("the server did not answer a beat: %s", error)
        else:
            self._beating.beat_answered(answer)

    def _send(self, body: bytes) -> BeatAnswer:
        fresh = self._connection is None
        try:
            return self._exchange(body)
        except (OSError, http.client.HTTPException):
            # The server may have closed a connection that was idle: that says nothing about the server.
            self._close()
            if fresh:
                raise
            return self._exchange(body)

    def _exchange(self, body: bytes) -> BeatAnswer:
        connection = self._connection = self._connection or self._open()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token() or ''}"}
        connection.request("POST", self._path, body, headers)
        answer = connection.getresponse()
        data = answer.read(LONGEST_BODY)
        if answer.status in (401, 403, 404, 409, 410):
            raise BeatRefused(answer.status)
        if answer.status != 200:
            raise http.client.HTTPException(f"status {answer.status}")
        return msgspec.json.decode(decode_envelope(data).data, type=BeatAnswer)

    def _open(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=TIMEOUT)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
