"""Secrets that a target sends back are found in every spelling."""

import html
import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.model.targets.http import BasicAuth
from duetime.model.targets.masking import mask_of
from duetime.model.targets.port import HIDDEN

secrets = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=8, max_size=40).filter(
    lambda text: text not in HIDDEN and HIDDEN not in text
)


def masked(text: str, *known: str, cut: bool = False) -> str:
    mask = mask_of(frozenset(known))
    assert mask is not None
    return mask(text, cut=cut)


@given(secrets)
def test_a_secret_is_hidden_as_it_is_and_in_every_escaped_spelling(secret: str) -> None:
    for spelling in (
        secret,
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        html.escape(secret),
    ):
        assert masked(f"before {spelling} after", secret) == f"before {HIDDEN} after"


@given(secrets, st.binary(max_size=5), st.binary(max_size=5))
def test_a_secret_is_hidden_in_base64_wherever_it_begins(secret: str, before: bytes, after: bytes) -> None:
    for encode in (b64encode, urlsafe_b64encode):
        encoded = encode(before + secret.encode() + after).decode()
        shown = masked(encoded, secret)
        assert HIDDEN in shown
        left = shown.replace(HIDDEN, "")
        # What is left belongs to the neighbours, or to them and one character of the secret.
        assert len(left) <= len(b64encode(before)) + len(b64encode(after)) + 4


def test_an_echoed_basic_authorization_is_hidden() -> None:
    auth = BasicAuth("ada", "correct horse")
    assert "Y29ycmVjdC" not in masked(auth.header(), *auth.secrets().values())
    assert masked("correct horse", auth.header()) == HIDDEN


def test_the_parts_of_a_header_are_hidden_by_themselves() -> None:
    echoed = '{"session": "0123456789abcdef", "theme": "dark"}'
    assert masked(echoed, "session=0123456789abcdef; theme=dark") == f'{{"session": "{HIDDEN}", "theme": "dark"}}'
    assert masked("token abcdefgh1234", "Bearer abcdefgh1234") == f"token {HIDDEN}"


@pytest.mark.parametrize("size", [4, 5, 11, 15])
def test_a_secret_that_the_cut_went_through_is_hidden(size: int) -> None:
    secret = "0123456789abcdef"
    assert masked("body " + secret[:size], secret, cut=True) == f"body {HIDDEN}"
    assert masked("body " + secret[:size], secret) == "body " + secret[:size]


def test_a_long_secret_of_one_character_costs_little() -> None:
    assert masked("a" * 65_536, "a" * 8191 + "b", cut=True).endswith(HIDDEN)


def test_what_is_too_short_is_not_looked_for() -> None:
    assert mask_of(frozenset({"1", "yes"})) is None


def test_too_many_secrets_hide_everything() -> None:
    assert masked("harmless", *(f"secret number {n}" for n in range(65))) == HIDDEN
