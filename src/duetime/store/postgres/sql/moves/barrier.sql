-- How many statements in this database began before the mark, and have not ended.
SELECT count(*)::int AS n FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
  AND age(backend_xmin) >= age($1::text::xid)
