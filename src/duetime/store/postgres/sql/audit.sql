-- The audit and its chain (`AuditStore`).

-- name: record
-- Records who changed what, from where.
INSERT INTO audit (at, actor, owner, origin, action, subject, details) VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb)

-- name: entries
-- Returns entries of all users, newest first. Each condition counts unless it is null.
SELECT id, at, actor, owner, origin, action, subject, details::text AS details
FROM audit
WHERE id < $1 AND ($2::int IS NULL OR actor = $2) AND ($3::text IS NULL OR starts_with(action, $3))
  AND ($4::text IS NULL OR subject = $4) AND ($5::timestamptz IS NULL OR at >= $5)
  AND ($6::timestamptz IS NULL OR at < $6)
ORDER BY id DESC
LIMIT $7

-- name: entries_of
-- Returns entries that a user ($8) made or that are about its things, newest first: one look along each of two indexes.
(SELECT id, at, actor, owner, origin, action, subject, details::text AS details
 FROM audit
 WHERE owner = $8 AND id < $1 AND ($2::int IS NULL OR actor = $2) AND ($3::text IS NULL OR starts_with(action, $3))
   AND ($4::text IS NULL OR subject = $4) AND ($5::timestamptz IS NULL OR at >= $5)
   AND ($6::timestamptz IS NULL OR at < $6)
 ORDER BY id DESC
 LIMIT $7)
UNION
(SELECT id, at, actor, owner, origin, action, subject, details::text AS details
 FROM audit
 WHERE actor = $8 AND id < $1 AND ($2::int IS NULL OR actor = $2) AND ($3::text IS NULL OR starts_with(action, $3))
   AND ($4::text IS NULL OR subject = $4) AND ($5::timestamptz IS NULL OR at >= $5)
   AND ($6::timestamptz IS NULL OR at < $6)
 ORDER BY id DESC
 LIMIT $7)
ORDER BY id DESC
LIMIT $7

-- name: lock_head
-- Locks the end of the chain.
SELECT number, xid::text AS xid, id, hash FROM audit_head FOR UPDATE

-- name: unsealed
-- Returns the next entries after the end of the chain, up to the oldest transaction that is still running.
SELECT xid::text AS xid, id, at, actor, owner, origin, action, subject, details::text AS details
FROM audit
WHERE (xid, id) > ($1::text::xid8, $2::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY xid, id
LIMIT $3

-- name: add_links
-- Adds links to the chain.
INSERT INTO audit_chain (number, entry_id, at, hash)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bytea[])

-- name: move_head
-- Moves the end of the chain.
UPDATE audit_head SET number = $1, xid = $2::text::xid8, id = $3, hash = $4

-- name: links
-- Returns links after a number, each with its entry. The instant leads to the one day that has the entry.
SELECT c.number, c.hash, c.at AS sealed_at, c.entry_id, e.id, e.at, e.actor, e.owner, e.origin, e.action, e.subject,
       e.details::text AS details
FROM audit_chain c
LEFT JOIN LATERAL (SELECT * FROM audit e WHERE e.at = c.at AND e.id = c.entry_id LIMIT 1) e ON true
WHERE c.number > $1
ORDER BY c.number
LIMIT $2

-- name: head
-- Returns the end of the chain, and how many entries come after it.
SELECT h.number, h.hash, h.kept_from,
       (SELECT count(*) FROM audit e WHERE (e.xid, e.id) > (h.xid, h.id)) AS unsealed
FROM audit_head h

-- name: unlinked
-- Returns how many entries before the end of the chain are in no link. It reads the whole audit.
SELECT count(*) AS n FROM audit e
WHERE (e.xid, e.id) <= (SELECT xid, id FROM audit_head)
  AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.entry_id = e.id)

-- name: days
-- Returns the days of the audit.
SELECT inhrelid::regclass::text AS name FROM pg_inherits
WHERE inhparent = 'audit'::regclass AND inhrelid <> 'audit_rest'::regclass

-- name: keep_from
-- Notes from when entries are kept, and removes the links before the last one that is needed as a beginning.
WITH kept AS (
    UPDATE audit_head SET kept_from = greatest(kept_from, $1::timestamptz)
)
DELETE FROM audit_chain WHERE number < (SELECT min(number) FROM audit_chain WHERE at >= $1::timestamptz) - 1

-- name: definition
-- Returns a definition.
SELECT body FROM definitions WHERE id = $1
