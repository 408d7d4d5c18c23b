-- What is asked of a server before it is used.

-- name: rights
-- Returns who the user is, and whether it can create tables and change those of the store, if there are any.
SELECT current_user::text AS user_name, current_schema()::text AS schema_name,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS creates,
       pg_get_userbyid(c.relowner)::text AS owner, pg_has_role(c.relowner, 'USAGE') AS owns
FROM (SELECT to_regclass('history') AS history) AS found
LEFT JOIN pg_class c ON c.oid = found.history

-- name: free_connections
-- Returns how many connections the server has left for this user.
SELECT (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'))::int AS n

-- name: settings
-- Returns settings of this session.
SELECT name, current_setting(name) AS setting FROM unnest($1::text[]) AS name

-- name: session
-- Returns the server process of this session.
SELECT pg_backend_pid()
