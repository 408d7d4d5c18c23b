"""The formats of files: records one by one, with their lines, and a sentence where a file cannot be read."""

from __future__ import annotations

import io
import json
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.injection.files.formats import json_values, port
from duetime.injection.files.formats.choice import FORMATS, format_of
from duetime.injection.files.formats.port import NotReadable, RawRecord


def read(name: str, content: bytes) -> list[RawRecord]:
    return list(FORMATS[name](io.BytesIO(content)))


def values(name: str, content: bytes) -> list[tuple[int, Any]]:
    return [(one.line, json.loads(one.body)) for one in read(name, content)]


def refused(name: str, content: bytes) -> tuple[int, str]:
    with pytest.raises(NotReadable) as caught:
        read(name, content)
    return caught.value.line, caught.value.message


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("ndjson", b'\xef\xbb\xbf{"a":1}\r\n\n  {"b":2}', [(1, {"a": 1}), (3, {"b": 2})]),
        ("json", b'[ {"a":"]"},\n\n {"b":[{}]} ]\n', [(1, {"a": "]"}), (3, {"b": [{}]})]),
        ("json", b'{"a":1}\n{"b":2}', [(1, {"a": 1}), (2, {"b": 2})]),
        ("json", b" [ ] ", []),
        ("json", b"", []),
        ("yaml", b"- {a: 1}\n- b: 2030-01-01T00:00:00Z\n", [(1, {"a": 1}), (2, {"b": "2030-01-01T00:00:00Z"})]),
        ("yaml", b"a: 1\n---\nb: 2\n", [(1, {"a": 1}), (3, {"b": 2})]),
        ("yaml", b"", []),
        (
            "csv",
            b'message,priority,target.kind,labels.v,limit\n"a\nb",3,log,1,"{""rate"": 2}"\n,,,,\nx,,,,\n',
            [
                (
                    2,
                    {"message": "a\nb", "priority": 3, "target": {"kind": "log"}, "labels": {"v": "1"}}
                    | {"limit": {"rate": 2}},
                ),
                (5, {"message": "x"}),
            ],
        ),
        ("csv", b"kind,name,cron\nschedule,n,@daily\n", [(2, {"kind": "schedule", "name": "n", "cron": "@daily"})]),
        ("csv", b"", []),
    ],
)
def test_records_are_read_with_their_lines(name: str, content: bytes, expected: list[tuple[int, Any]]) -> None:
    assert values(name, content) == expected


@pytest.mark.parametrize(
    ("name", "content", "line", "says"),
    [
        ("json", b'[{"a":1}\n{"b":2}]', 2, "comma"),
        ("json", b'[{"a":1},\n{"b"', 2, "not valid JSON"),
        ("json", b'[{"a":1}', 1, "comma or ']'"),
        ("json", b"[{}]\n{}", 2, "behind the list"),
        ("json", b'[{},\n{"a": xx}]', 2, "Expecting value"),
        ("json", b'[{"a": "\xff"}]', 1, "UTF-8"),
        ("json", b"[" * 100_000, 1, "nested too deeply"),
        ("yaml", b"- &a [x]\n- *a\n", 2, "alias"),
        ("yaml", b"- {a: [1\n", 2, "not valid YAML"),
        ("yaml", b"- " + b"[" * 100, 1, "nested too deeply"),
        ("yaml", b"- !!python/object:os.system {}\n", 0, ""),
        ("csv", b"foo,bar\n1,2\n", 1, "must name the columns"),
        ("csv", b"message,message\n", 1, "twice"),
        ("csv", b'message\n"never ends', 3, "not CSV"),
        ("csv", b"message\n\xff\n", 1, "UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_on_says_where(name: str, content: bytes, line: int, says: str) -> None:
    if not line:
        (one,) = read(name, content)
        assert one.problem is not None
        return
    assert refused(name, content)[0] == line
    assert says in refused(name, content)[1]


def test_a_line_that_is_too_long_is_refused_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (port, "duetime.injection.files.formats.ndjson"):
        target = f"{module}.MAX_RECORD_BYTES" if isinstance(module, str) else f"{module.__name__}.MAX_RECORD_BYTES"
        monkeypatch.setattr(target, 10)
    found = read("ndjson", b'{"a":1}\n{"b":"' + b"x" * 50 + b'"}\n{"c":3}\n')
    assert [(one.line, one.problem is None) for one in found] == [(1, True), (2, False), (3, True)]


class Trickle(io.RawIOBase):
    """Gives a few bytes at a time, so that every value crosses the edge of what was read."""

    def __init__(self, content: bytes, piece: int) -> None:
        self._left, self._piece = content, piece

    def read(self, size: int = -1) -> bytes:
        piece, self._left = self._left[: self._piece], self._left[self._piece :]
        return piece


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=3), one, max_size=3),
    max_leaves=6,
)


@given(
    records=st.lists(st.dictionaries(st.text(max_size=3), _json, max_size=3), max_size=5),
    indent=st.sampled_from([None, 0, 2]),
    piece=st.integers(1, 9),
    ascii_only=st.booleans(),
)
def test_a_list_is_divided_as_json_itself_reads_it(
    records: list[dict[str, Any]], indent: int | None, piece: int, ascii_only: bool
) -> None:
    text = json.dumps(records, indent=indent, ensure_ascii=ascii_only)
    stream: BinaryIO = Trickle(text.encode("utf-8", "surrogatepass"), piece)  # type: ignore[assignment]
    found = [json.loads(one.body) for one in json_values.read_json(stream)]
    assert found == records


def test_the_name_says_the_format() -> None:
    assert [format_of(name) is FORMATS[kind] for name, kind in (("a.jsonl", "ndjson"), ("b.YML", "yaml"))] == [
        True,
        True,
    ]
    assert format_of("jobs.txt") is None
