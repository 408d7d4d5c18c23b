"""The converter for tables in the manner of Control-M, as CSV: each row becomes a schedule."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from duetime.conversion.called import called_target
from duetime.conversion.port import CannotConvert, Converted, Rejected, read_text, refuse_unknown
from duetime.model.errors import DuetimeError
from duetime.timing.cron import Cron

COLUMNS: Final = frozenset(
    {
        *("JOBNAME", "APPLICATION", "GROUP", "DESCRIPTION", "NODEID", "CMDLINE", "DAYS", "WEEKDAYS", "MONTHS"),
        *("DAYS_AND_OR", "DAYSCAL", "TIMEFROM", "TIMETO", "TIMEZONE", "CYCLIC", "INTERVAL", "MAXRERUN", "INCOND"),
    }
)
_TIME: Final = re.compile(r"([01]\d|2[0-3]):?([0-5]\d)")
_INTERVAL: Final = re.compile(r"0*([1-9]\d{0,4})([MH]?)")
_SMALLER: Final = {"M": 60, "H": 24}


class _NotConvertible(DuetimeError):
    """The row cannot be converted."""


def convert(file: BinaryIO, options: Mapping[str, str]) -> Iterator[Converted | Rejected]:
    """Yields a schedule for each row. Options: `zone`, `prefix`, and `url`, or `queue` and `task`.

    Without `url` and `queue` the command line of a row is a program.
    """
    refuse_unknown(options, "zone", "prefix", "url", "queue", "task")
    rows = csv.reader(io.StringIO(read_text(file)), strict=True)
    try:
        header = [name.strip().upper() for name in next(rows, [])]
        _check_header(header)
        line = rows.line_num + 1
        for cells in rows:
            if any(cells):
                try:
                    yield Converted(line, _schedule(_row(header, cells), options))
                except _NotConvertible as error:
                    yield Rejected(line, error.message)
            line = rows.line_num + 1
    except csv.Error as error:
        raise CannotConvert(f"Line {rows.line_num} is not CSV: {error}.") from None


def _check_header(header: list[str]) -> None:
    if unknown := [name for name in header if name not in COLUMNS]:
        raise CannotConvert(f"There is no column '{unknown[0][:60]}'. Columns are {', '.join(sorted(COLUMNS))}.")
    if missing := {"JOBNAME", "TIMEFROM"} - set(header):
        raise CannotConvert(f"The first line must name the columns, and has no {min(missing)}.")
    if len(set(header)) < len(header):
        raise CannotConvert("The first line names a column twice.")


def _row(header: list[str], cells: list[str]) -> dict[str, str]:
    if len(cells) != len(header):
        raise _NotConvertible(f"The row has {len(cells)} cells, and the header has {len(header)}.")
    return {name: cell.strip() for name, cell in zip(header, cells, strict=True) if cell.strip()}


def _schedule(row: Mapping[str, str], options: Mapping[str, str]) -> dict[str, Any]:
    name = row.get("JOBNAME")
    if name is None:
        raise _NotConvertible("The row has no JOBNAME.")
    if "INCOND" in row:
        raise _NotConvertible(
            f"'{name}' waits for the condition '{row['INCOND']}' of other jobs, which a schedule cannot do."
        )
    zone = row.get("TIMEZONE") or options.get("zone")
    if zone is None:
        raise _NotConvertible(f"'{name}' has no TIMEZONE: give the option 'zone', the zone of its machine.")
    cron = _cron(row)
    try:
        Cron.parse(cron, zone=zone)
    except DuetimeError as error:
        raise _NotConvertible(error.message) from None
    found: dict[str, Any] = {
        "kind": "schedule",
        "name": options.get("prefix", "control-m-") + name,
        "cron": cron,
        "zone": zone,
        "overlap": "skip",
        **_action(name, row, options),
        **_retry(row),
    }
    if "DAYSCAL" in row:
        found["calendar"] = row["DAYSCAL"]
    columns = ("APPLICATION", "GROUP", "NODEID")
    if labels := {column.lower(): row[column][:255] for column in columns if column in row}:
        found["labels"] = labels
    return found


def _action(name: str, row: Mapping[str, str], options: Mapping[str, str]) -> dict[str, Any]:
    if "url" in options or "queue" in options:
        message = {"job": name, "command": row.get("CMDLINE")}
        return {"message": message, "target": called_target(options, name)}
    if "CMDLINE" not in row:
        raise _NotConvertible(f"'{name}' has no CMDLINE: give one, or the option 'url' or 'queue'.")
    return {"target": {"kind": "shell", "script": row["CMDLINE"]}}


def _retry(row: Mapping[str, str]) -> dict[str, Any]:
    again = row.get("MAXRERUN", "0")
    if not again.isdecimal() or int(again) > 99:
        raise _NotConvertible(f"MAXRERUN must be a number from 0 to 99, and not '{again[:40]}'.")
    return {"retry": {"max_attempts": int(again) + 1} if int(again) else False}


def _cron(row: Mapping[str, str]) -> str:
    hour, minute = _time(row, "TIMEFROM")
    days = _days(row.get("DAYS", "ALL"))
    weekdays, months = (_list(row.get(column, "ALL")) for column in ("WEEKDAYS", "MONTHS"))
    if days != "*" and weekdays != "*" and row.get("DAYS_AND_OR", "OR").upper() not in ("OR", "O"):
        raise _NotConvertible("DAYS_AND_OR is not OR: a cron line is due where either the day or the weekday matches.")
    at = f"{minute} {hour}" if row.get("CYCLIC", "N").upper() not in ("Y", "YES", "1") else _cycle(row, hour, minute)
    return f"{at} {days} {months} {weekdays}"


def _cycle(row: Mapping[str, str], hour: int, minute: int) -> str:
    """Returns minutes and hours of a cyclic job, if its interval divides the hour or the day."""
    interval = _INTERVAL.fullmatch(row.get("INTERVAL", "").upper())
    if interval is None:
        raise _NotConvertible("A cyclic job needs an INTERVAL such as 15M or 2H.")
    count, unit = int(interval[1]), interval[2] or "M"
    if count >= _SMALLER[unit] or _SMALLER[unit] % count:
        raise _NotConvertible(f"An INTERVAL of {count}{unit} does not divide {'an hour' if unit == 'M' else 'a day'}.")
    last = _time(row, "TIMETO")[0] if "TIMETO" in row else 23
    if last < hour:
        raise _NotConvertible("TIMETO is before TIMEFROM: divide the row into one before and one after midnight.")
    if unit == "H":
        return f"{minute} {hour}-{last}/{count}"
    return f"{minute % count}-59/{count} {hour}-{last}"


def _time(row: Mapping[str, str], column: str) -> tuple[int, int]:
    found = _TIME.fullmatch(row.get(column, "0000").zfill(4))
    if found is None:
        raise _NotConvertible(f"{column} must be a time such as 0930, and not '{row[column][:40]}'.")
    return int(found[1]), int(found[2])


def _days(text: str) -> str:
    return "L" if text.upper() == "L1" else _list(text)


def _list(text: str) -> str:
    return "*" if text.upper() == "ALL" else ",".join(part.strip() for part in text.split(","))
