"""Warns of cron lines that mean other days in Quartz. Pure."""

from __future__ import annotations

from duetime.timing.errors import CronError, quoted
from duetime.timing.explain import weekdays
from duetime.timing.expression import Expression
from duetime.timing.fields import QUARTZ_DAY_OF_WEEK, no_choice, parse_field


def other_days_in_quartz(expression: Expression) -> str | None:
    """A sentence about a line of six fields whose day numbers mean other days in Quartz; else `None`.

    Quartz refuses a line of five fields, so that such a line cannot mean other days there.
    """
    if expression.dialect != "standard" or not expression.with_seconds:
        return None
    ours = expression.fields[5]
    if any(item.kind == "hash" for item in ours.items):
        return None
    try:
        theirs = parse_field(QUARTZ_DAY_OF_WEEK, ours.text, 0, no_choice)
    except CronError:
        return None
    if (ours.mask, ours.marks) == (theirs.mask, theirs.marks):
        return None
    return (
        f"In {quoted(expression.text)} the day of week {quoted(ours.text)} is {weekdays(ours)}. In Quartz, where 1 is "
        f"Sunday, it is {weekdays(theirs)}. For a line from Quartz set the dialect 'quartz'; the names of days mean "
        "the same in both."
    )
