"""Log records that a function writes with `logging` go to the log of its run too."""

from __future__ import annotations

import logging

from ..context import current_context

OWN = "duetime"


class RunLogHandler(logging.Handler):
    """Writes records of code that a run has called to that run's log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a record, if it belongs to a run."""
        context = current_context.get()
        if context is not None and record.name.partition(".")[0] != OWN:
            try:
                context.log(self.format(record))
            except Exception:
                self.handleError(record)


def capture_logs(level: int = logging.INFO) -> None:
    """Adds the handler to the root logger, once. Which records reach it is for the program's levels to say."""
    root = logging.getLogger()
    if any(isinstance(one, RunLogHandler) for one in root.handlers):
        return
    handler = RunLogHandler(level)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
