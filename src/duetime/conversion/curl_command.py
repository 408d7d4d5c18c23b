"""Converts a plain `curl` of one URL into an HTTP target, and back."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec

from duetime.model.bounds import REDIRECTS
from duetime.model.errors import DuetimeError
from duetime.model.targets.http import BasicAuth

_SHELL = re.compile(r"[|&;<>()`$*?\[\]{}~\\!#]")
_QUERY = re.compile(r"(?<=://)[^\s?]*\?")
"""A `?` in a URL. A shell leaves it as it is, because no file has such a path."""
_SILENT = re.compile(r"\s*(?:>\s*/dev/null(?:\s+2>\s*&1)?|&>\s*/dev/null|2>\s*/dev/null)\s*$")
_IGNORED = {
    "-s",
    "--silent",
    "-S",
    "--show-error",
    "-f",
    "--fail",
    "-sS",
    "-fsS",
    "-sf",
    "-fs",
    "-sSf",
    "-fsSL",
    "-sSL",
}
_FOLLOWS = {"-L", "--location", "-fsSL", "-sSL"}
_DATA = {"-d", "--data", "--data-raw", "--data-binary", "--data-ascii"}
_FORM = "application/x-www-form-urlencoded"
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")


class NotImportable(DuetimeError):
    """The line cannot be imported."""

    code = "not_carried_over"


def curl_target(command: str) -> dict[str, Any]:
    """Returns the message and the target of a plain `curl` of one URL. Raises `NotImportable` for any other command."""
    plain = _SILENT.sub("", command)
    try:
        words = shlex.split(plain)
    except ValueError:
        raise NotImportable("The command's quotes do not match.") from None
    if not words or words[0].rsplit("/", 1)[-1] != "curl":
        raise NotImportable("The command runs a program: with --programs, executors that allow it run it.")
    if _SHELL.search(_QUERY.sub("", _unquoted(plain))):
        raise NotImportable("The command needs a shell: import a plain curl of one URL, or use --programs.")
    return _request(words[1:])


def _unquoted(command: str) -> str:
    """Returns what a shell interprets: nothing in single quotes, and in double quotes only `$`, backticks and `\\`."""
    seen: list[str] = []
    quote = ""
    for character in command:
        if character == quote:
            quote = ""
        elif not quote and character in "\"'":
            quote = character
        elif not quote or (quote == '"' and character in "$`\\"):
            seen.append(character)
    return "".join(seen)


def _request(words: list[str]) -> dict[str, Any]:
    urls: list[str] = []
    data: list[str] = []
    target: dict[str, Any] = {"kind": "http"}
    headers: dict[str, str] = {}
    more: dict[str, Any] = {}
    left = iter(words)
    for word in left:
        if word in _FOLLOWS:
            target["follow_redirects"] = REDIRECTS.most
        if word in _IGNORED | _FOLLOWS:
            continue
        if not word.startswith("-"):
            urls.append(word)
            continue
        name, value = _option(word, left)
        if name in _DATA:
            data.append(_data(name, value))
        elif name in ("-H", "--header"):
            headers.update(_header(value))
        elif name in ("-X", "--request"):
            target["method"] = value
        elif name in ("-m", "--max-time"):
            more["timeout"] = value
        elif name in ("-u", "--user") and ":" in value:
            user, _, password = value.partition(":")
            target["auth"] = msgspec.to_builtins(BasicAuth(user, password))
        elif not (name in ("-o", "--output") and value == "/dev/null"):
            raise NotImportable(f"An HTTP target has nothing like curl's option {name}.")
    return _assemble(urls, data, target, headers, more)


def _data(option: str, value: str) -> str:
    if value.startswith("@") and option != "--data-raw":
        raise NotImportable("The body is in a file, which the server cannot read: put the text into the command.")
    return value


def _header(value: str) -> dict[str, str]:
    name, colon, text = value.partition(":")
    if not colon:
        raise NotImportable(f"The header '{value}' has no value.")
    return {name.strip(): text.strip()}


def _option(word: str, left: Iterator[str]) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if word.startswith("--"):
        pass
    elif len(word) > 2:
        name, equals, value = word[:2], "=", word[2:]
    if not equals:
        value = next(left, "")
    if not value:
        raise NotImportable(f"An HTTP target has nothing like curl's option {name}.")
    return name, value


def _assemble(
    urls: list[str], data: list[str], target: dict[str, Any], headers: dict[str, str], more: dict[str, Any]
) -> dict[str, Any]:
    if len(urls) != 1:
        raise NotImportable(f"The command has {len(urls)} URLs: only a curl of one URL can be imported.")
    url = urls[0] if "://" in urls[0] else f"http://{urls[0]}"
    method = target.pop("method", "POST" if data else "GET")
    if method not in _METHODS or not url.startswith(("http://", "https://")):
        raise NotImportable(f"{method} of {url} is not an HTTP request that a target can make.")
    if data and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = _FORM
    target |= {"url": url, "method": method} | ({"headers": headers} if headers else {})
    return {"message": "&".join(data), "target": target, **more}


def curl_command(message: str, target: dict[str, Any]) -> str:
    """Returns the `curl` command for an HTTP target, with `%` escaped for a crontab."""
    words = ["curl", "-fsS", "-X", str(target.get("method", "POST"))]
    for name, value in (target.get("headers") or {}).items():
        words += ["-H", f"{name}: {value}"]
    if message:
        words += ["--data-raw", message]
    return shlex.join([*words, str(target["url"])]).replace("%", "\\%")
