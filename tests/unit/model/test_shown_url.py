"""What is shown of a URL: all of it, except values that are secrets by custom."""

from __future__ import annotations

import pytest

from duetime.model.targets.url import masked_url, secret_parameters

SHOWN = "https://example.com/a?b=c"


@pytest.mark.parametrize(
    ("query", "shown", "secrets"),
    [
        ("", "", {}),
        ("?", "?", {}),
        ("?page=2&author=ada&monkey=1", "?page=2&author=ada&monkey=1", {}),
        ("?token=a%2Fb+c&page=2", "?token=(hidden)&page=2", {"token": "a/b c"}),
        ("?page=2&API_KEY=x", "?page=2&API_KEY=(hidden)", {"API_KEY": "x"}),
        ("?a=1;X-Amz-Signature=0f", "?a=1;X-Amz-Signature=(hidden)", {"X-Amz-Signature": "0f"}),
        ("?%74oken=x", "?%74oken=(hidden)", {"token": "x"}),
        ("?sig=a=b", "?sig=(hidden)", {"sig": "a=b"}),
        ("?token=", "?token=", {}),
        ("?token", "?token", {}),
    ],
)
def test_values_of_secret_parameters_are_hidden(query: str, shown: str, secrets: dict[str, str]) -> None:
    url = f"https://example.com/token=x{query}"
    assert masked_url(url) == f"https://example.com/token=x{shown}"
    assert secret_parameters(url) == secrets
    assert secret_parameters(masked_url(url)) == dict.fromkeys(secrets, "(hidden)")
