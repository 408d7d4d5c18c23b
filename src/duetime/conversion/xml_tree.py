"""Reads XML as a tree with line numbers. Declarations of types and entities are refused: no document needs them here,
and entities can make a small file grow without bound, or read other files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO
from xml.parsers import expat

from duetime.conversion.port import MAX_BYTES, CannotConvert

MAX_DEPTH = 32
PIECE = 64 * 1024


@dataclass
class Element:
    """An element: its name without a namespace, its text, what is in it, and the line where it began."""

    name: str
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=lambda: list[Element]())

    def child(self, name: str) -> Element | None:
        """Returns the first element of a name."""
        return next(self.all(name), None)

    def all(self, name: str) -> Iterator[Element]:
        """Yields the elements of a name."""
        return (one for one in self.children if one.name == name)

    def value(self, name: str) -> str | None:
        """Returns the text of the first element of a name, without surrounding space; None if there is none."""
        found = self.child(name)
        return (found.text.strip() or None) if found is not None else None


def read_xml(file: BinaryIO) -> Element:
    """Returns the outermost element. Raises `CannotConvert` for what is no XML, and for what could do harm."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    stack = [Element("", 0)]

    def start(name: str, _: dict[str, str]) -> None:
        element = Element(name.rpartition(" ")[2], parser.CurrentLineNumber)
        if len(stack) > MAX_DEPTH:
            raise CannotConvert(f"Line {element.line} is nested too deeply: at most {MAX_DEPTH} levels are read.")
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        stack[-1].text += data

    def refuse(*_: object) -> None:
        raise CannotConvert(f"Line {parser.CurrentLineNumber} has a DOCTYPE, which is not read: remove it.")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.StartDoctypeDeclHandler = refuse
    read = 0
    try:
        while piece := file.read(PIECE):
            read += len(piece)
            if read > MAX_BYTES:
                raise CannotConvert(f"The file is larger than {MAX_BYTES // 1024**2} MiB, the most that is read.")
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise CannotConvert(f"Line {error.lineno} is not valid XML: {expat.ErrorString(error.code)}.") from None
    return stack[0].children[0]
