"""The history checker: reads a history and reports violations of the invariants."""

from chaos.checker.check import INVARIANTS, check
from chaos.checker.violation import Violation

__all__ = ["INVARIANTS", "Violation", "check"]
