-- A number that every statement begun before this one is older than.
SELECT pg_current_xact_id()::xid::text AS mark
