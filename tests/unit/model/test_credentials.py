"""Credentials do not reach the log."""

from __future__ import annotations

import pytest

from duetime.model.credentials import without_credentials


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("> Authorization: Bearer eyJhbGciOi.J9.x-y_z", "> Authorization: Bearer (hidden)"),
        ("authorization: basic dXNlcjpwYXNzd29yZA==", "authorization: basic (hidden)"),
        ("postgresql://ada:s3cret@db/x and http://u:p@h", "postgresql://ada:(hidden)@db/x and http://u:(hidden)@h"),
        ("sent Bearer 0123456789abcdef0", "sent Bearer (hidden)"),
        ('{"Authorization": "token-of-mine", "a": 1}', '{"Authorization": "(hidden)", "a": 1}'),
        ("basic authentication failed, bearer of misfortune", "basic authentication failed, bearer of misfortune"),
        (
            "mail ada@example.com about https://example.com:8080/a",
            "mail ada@example.com about https://example.com:8080/a",
        ),
    ],
)
def test_credentials_are_hidden(line: str, kept: str) -> None:
    assert without_credentials(line) == kept
