"""The statements of coordination: `sql/leases.sql` for the coordinator, `sql/cluster.sql` for what operators see."""

from __future__ import annotations

from duetime.postgres.statements import Statements

STATEMENTS = Statements("duetime.coordination")
sql = STATEMENTS.sql
