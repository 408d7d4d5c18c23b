-- How many statements and transactions in this database began before the mark, and have not ended. Those of users
-- that this one may not look at count as well: nothing can be known of them.
SELECT count(*)::int AS n FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  AND (age(backend_xmin) >= age($1::text::xid) OR age(backend_xid) >= age($1::text::xid)
       OR NOT (pg_has_role(usesysid, 'USAGE') OR pg_has_role('pg_read_all_stats', 'USAGE')))
