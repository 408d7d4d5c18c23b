"""The statements of the store: `sql/PORT.sql` holds those of one port."""

from __future__ import annotations

from duetime.postgres.statements import Statements

STATEMENTS = Statements("duetime.store.postgres")
sql = STATEMENTS.sql
