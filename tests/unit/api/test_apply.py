"""Applying many schedules: a double name is found by looking at each name once."""

from __future__ import annotations

from duetime.api.schedules.apply import given_twice


class Name(str):
    """A name that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)  # type: ignore[arg-type]


def test_the_double_one_is_found_without_comparing_all_with_all() -> None:
    names = [Name(f"schedule {number}") for number in range(10_000)]
    seen: set[str] = set()
    assert given_twice(names[:5000], seen) is None
    assert given_twice(names[5000:], seen) is None
    assert given_twice([Name("schedule 9999")], seen) == "schedule 9999"
    assert Name.compared < 100, "the last name alone is compared, and what shares its hash"
