"""Explanations of cron expressions in English."""

from __future__ import annotations

import pytest

from duetime.timing import explain
from duetime.timing.expression import parse_expression


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("* * * * *", "Every minute."),
        ("*/5 * * * *", "Every 5 minutes."),
        ("*/7 * * * *", "Every 7 minutes from minute 0 of every hour."),
        ("0 * * * *", "At minute 0 of every hour."),
        ("5,10 * * * *", "At minutes 5 and 10 of every hour."),
        ("30 1 * * *", "At 01:30 every day."),
        ("0,30 9,12 * * *", "At 09:00, 09:30, 12:00 and 12:30 every day."),
        ("0 9-17 * * MON-FRI", "At minute 0 from 09:00 to 17:59 on Monday to Friday."),
        ("*/15 9-17 * * 1-5", "Every 15 minutes from 09:00 to 17:59 on Monday to Friday."),
        ("10-30/5 3 * * *", "Every 5 minutes from minute 10 to 30 of the hour 3 every day."),
        ("0 22-2/2 * * *", "At minute 0 of the hours 22, 0 and 2 every day."),
        ("0 */6 * * *", "At minute 0 of every 6th hour every day."),
        ("*/10 * * * * *", "Every 10 seconds."),
        ("15 30 2 * * *", "At 02:30:15 every day."),
        ("* 30 2 * * *", "Every second of minute 30 of the hour 2 every day."),
        ("0 0 L * *", "At 00:00 on the last day of the month."),
        ("0 0 L-2,15W * *", "At 00:00 on the 3rd last day and the working day nearest to the 15th of the month."),
        ("0 0 LW * *", "At 00:00 on the last working day of the month."),
        ("0 0 * * 5L", "At 00:00 on the last Friday of the month."),
        ("0 0 * * MON#2", "At 00:00 on the second Monday of the month."),
        ("0 0 1,15 * FRI", "At 00:00 on days 1 and 15 of the month or on Friday."),
        ("0 0 */2 * 5", "At 00:00 on every 2nd day of the month from the 1st, if that is Friday."),
        ("0 0 1 JUN-AUG *", "At 00:00 on day 1 of the month in June to August."),
        ("0 0 1 */6 *", "At 00:00 on day 1 of the month in January and July."),
        ("@yearly", "At 00:00 on day 1 of the month in January."),
        ("@every 90s", "Every 1m30s of elapsed time."),
        ("H(5-5) 3 * * *", "At 03:05 every day (H: chosen by the schedule's identity)."),
    ],
)
def test_words(expression: str, words: str) -> None:
    assert explain(parse_expression(expression)) == words
