"""When things are due: pure functions of instants."""

from duetime.timing.cron import Cron as Cron
from duetime.timing.errors import CronError as CronError
