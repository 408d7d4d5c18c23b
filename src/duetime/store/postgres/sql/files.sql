-- Files: who reads a file, and how it ended (`FileStore`). The records are stored by injection.sql.

-- name: claim
-- Takes a file that is new, or that is open and has no holder any more, and sets the offset of a new one. Returns the
-- file as it is; no row while another transaction is storing it for the first time.
WITH taken AS (
    INSERT INTO injected_files AS f (source, content, name, holder, held_until, taken_at)
    VALUES ($1, $2, $3, $4, $6, $5)
    ON CONFLICT (source, content) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
    WHERE f.state = 'open' AND (f.held_until <= $5 OR f.holder = excluded.holder)
    RETURNING f.*
), begun AS (
    INSERT INTO injection_offsets (source, partition, next_offset) SELECT source, id, 0 FROM taken
    ON CONFLICT DO NOTHING
)
SELECT f.id, f.state, f.name, f.taken_at, f.ended_at, f.moved, f.records, f.stored, f.reason,
    coalesce(o.next_offset, 0), f.held
FROM (
    SELECT *, true AS held FROM taken
    UNION ALL
    SELECT *, false FROM injected_files WHERE source = $1 AND content = $2 AND NOT EXISTS (SELECT FROM taken)
) f LEFT JOIN injection_offsets o ON o.source = f.source AND o.partition = f.id

-- name: hold
-- Extends the lease of an open file. Returns a row if this node still holds it.
UPDATE injected_files SET held_until = $3 WHERE id = $1 AND holder = $2 AND state = 'open' RETURNING id

-- name: finish
-- Records how an open file ended, with its refused records. Returns a row if it was open: the first end counts.
WITH ended AS (
    UPDATE injected_files SET state = $2, ended_at = $3, records = $4, stored = $5, reason = $6
    WHERE id = $1 AND state = 'open'
    RETURNING source, id
), kept AS (
    INSERT INTO refused_records (source, partition, record_offset, record)
    SELECT e.source, e.id, r.record_offset, r.record
    FROM ended e, unnest($7::bigint[], $8::bytea[]) AS r(record_offset, record)
)
SELECT id FROM ended

-- name: moved
-- Notes that an ended file has left the directory, and forgets its refused records.
WITH moved AS (
    UPDATE injected_files SET moved = true WHERE id = $1 AND state <> 'open' RETURNING source, id
)
DELETE FROM refused_records r USING moved m WHERE r.source = m.source AND r.partition = m.id

-- name: forget
-- Forgets an ended file, so that its content is new again.
WITH gone AS (
    DELETE FROM injected_files WHERE id = $1 AND state <> 'open' RETURNING source, id
), refused AS (
    DELETE FROM refused_records r USING gone g WHERE r.source = g.source AND r.partition = g.id
)
DELETE FROM injection_offsets o USING gone g WHERE o.source = g.source AND o.partition = g.id

-- name: ended_before
-- Returns some files of a source that ended before an instant.
SELECT id FROM injected_files WHERE source = $1 AND ended_at < $2 ORDER BY id LIMIT $3
