"""The names of workers in paths, and the tokens of their runs. Pure."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from hashlib import blake2b
from hmac import compare_digest
from typing import Final

from duetime.model.errors import NotFound

_WORKER: Final = re.compile(r"w([1-9][0-9]{0,9})")
_RUN: Final = re.compile(r"([1-9][0-9]{0,15})\.([1-9][0-9]{0,4})\.([A-Za-z0-9_-]{16})")
_LARGEST: Final = 2**31 - 1


def worker_name(worker_id: int) -> str:
    """The name of a worker in a path."""
    return f"w{worker_id}"


def worker_id(name: str) -> int:
    """The id of a worker by its name; text that names none is not found."""
    found = _WORKER.fullmatch(name)
    if found is None or int(found[1]) > _LARGEST:
        raise NotFound("There is no such living worker: register again.")
    return int(found[1])


class RunTokens:
    """Makes and reads the tokens of runs. A token is good for one attempt, one worker and one user."""

    def __init__(self, signing_key: bytes) -> None:
        self._signed = blake2b(key=blake2b(signing_key).digest(), digest_size=12, person=b"duetime run")

    def token(self, user_id: int, worker: int, job_id: int, attempt: int) -> str:
        """The token of a run."""
        return f"{job_id}.{attempt}.{self._mark(user_id, worker, job_id, attempt)}"

    def read(self, user_id: int, worker: int, token: str) -> tuple[int, int] | None:
        """The job and the attempt of a token; None if it is not one of this worker's."""
        found = _RUN.fullmatch(token)
        if found is None:
            return None
        job_id, attempt = int(found[1]), int(found[2])
        return (job_id, attempt) if compare_digest(found[3], self._mark(user_id, worker, job_id, attempt)) else None

    def _mark(self, user_id: int, worker: int, job_id: int, attempt: int) -> str:
        signed = self._signed.copy()
        signed.update(b"%d %d %d %d" % (user_id, worker, job_id, attempt))
        return urlsafe_b64encode(signed.digest()).decode()
