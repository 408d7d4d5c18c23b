"""The converter for crontabs: each line becomes a schedule. `duetime import crontab` reads them in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from duetime.conversion.crontab_reader import RejectedLine, ZoneMissing, read_crontab
from duetime.conversion.port import CannotConvert, Converted, Rejected, flag, read_text, refuse_unknown
from duetime.timing.errors import TimingError


def convert(file: BinaryIO, options: Mapping[str, str]) -> Iterator[Converted | Rejected]:
    """Yields the schedules of a crontab. Options: `zone`, `prefix`, `system` and `programs`."""
    refuse_unknown(options, "zone", "prefix", "system", "programs")
    try:
        lines = read_crontab(
            read_text(file),
            prefix=options.get("prefix", "crontab-"),
            zone=options.get("zone"),
            system=flag(options, "system"),
            programs=flag(options, "programs"),
        )
    except ZoneMissing:
        raise CannotConvert(
            "A crontab without CRON_TZ uses the time zone of its machine: name it with the option 'zone'."
        ) from None
    except TimingError as error:
        raise CannotConvert(error.message) from None
    for line in lines:
        if isinstance(line, RejectedLine):
            yield Rejected(line.line, line.reason)
        else:
            yield Converted(line.line, {"kind": "schedule", **line.schedule})
