"""The history checker: reads what was recorded, and reports what must not be."""

from chaos.checker.check import INVARIANTS, check
from chaos.checker.violation import Violation

__all__ = ["INVARIANTS", "Violation", "check"]
