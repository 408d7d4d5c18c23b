"""What repeats from job to job (target and policy), stored once per user and found by its content."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import msgspec
from msgspec import UNSET, Struct, UnsetType

from duetime.model.policy import Policy
from duetime.model.targets import Target
from duetime.model.targets.log import LogTarget


class Definition(Struct, frozen=True):
    """A target with the policy for launching it. Immutable once stored."""

    target: Target = LogTarget()
    policy: Policy = Policy()
    step: bool | UnsetType = UNSET
    """Whether its jobs are steps of workflows: launching gives them inputs, and their ends release other steps. Unset,
    it is not encoded, so that the definition of a plain job keeps its hash."""


PLAIN = Definition()
"""The definition of jobs that ask for nothing special: one shared object, recognised by identity."""

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(Definition)


def encode_definition(definition: Definition) -> bytes:
    """Returns the one spelling of a definition, as stored."""
    return _encoder.encode(definition)


def definition_hash(encoded: bytes) -> bytes:
    """Returns the hash that the store finds a definition by."""
    return blake2b(encoded, digest_size=16).digest()


@lru_cache(maxsize=4096)
def decode_definition(encoded: bytes) -> Definition:
    """Returns a stored definition. The most recent ones are decoded once."""
    return _decoder.decode(encoded)
