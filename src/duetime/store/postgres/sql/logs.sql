-- Lines that runs logged: adding, reading and finding them (`LogStore`).

-- name: add
-- Adds lines to the log of a run that an executor or worker holds. Lines that are there already are left out, and so is
-- what does not fit into $7 bytes. Returns how many lines were added; no row when the run is not the holder's.
WITH held AS (
    SELECT i.user_id FROM in_flight i WHERE i.job_id = $2 AND i.attempt = $3 AND i.executor = $1
), before AS (
    SELECT coalesce(max(l.seq + cardinality(l.lines)), 0) AS seq, coalesce(sum(l.bytes), 0) AS bytes
    FROM held h JOIN run_logs l ON l.user_id = h.user_id AND l.job_id = $2 AND l.attempt = $3
), fitting AS (
    SELECT g.line, g.n
    FROM (SELECT line, n, sum(octet_length(line) + 1) OVER (ORDER BY n) AS size
          FROM unnest($5::text[]) WITH ORDINALITY AS g(line, n), before b WHERE $4 + n - 1 >= b.seq) g, before b
    WHERE b.bytes + g.size <= $7
), added AS (
    INSERT INTO run_logs (job_id, user_id, attempt, seq, lines, bytes, finished_at)
    SELECT $2, h.user_id, $3, $4 + min(f.n)::int - 1, array_agg(f.line ORDER BY f.n),
           sum(octet_length(f.line) + 1)::int, $6::timestamptz
    FROM held h, fitting f GROUP BY h.user_id
    RETURNING cardinality(lines) AS n
)
SELECT coalesce((SELECT n FROM added), 0) AS kept FROM held

-- name: lines
-- Returns the lines of a run's log, in order, without the first $4.
SELECT lines[greatest(1, $4::int - before + 1):] AS lines
FROM (SELECT seq, lines, sum(cardinality(lines)) OVER (ORDER BY seq)::int - cardinality(lines) AS before
      FROM run_logs WHERE user_id = $1 AND job_id = $2 AND attempt = $3) l
WHERE before + cardinality(lines) > $4 ORDER BY seq

-- name: index
-- Makes further chunks searchable, in the order of their transactions, with the schedule and the labels of their jobs. One
-- caller at a time: another finds the head locked and does nothing. Returns how many chunks there were.
WITH head AS MATERIALIZED (
    SELECT h.xid FROM run_log_head h FOR UPDATE SKIP LOCKED
), chunk AS MATERIALIZED (
    SELECT l.* FROM head CROSS JOIN LATERAL (
        SELECT l.xid, l.user_id, l.job_id, l.attempt, l.seq, l.finished_at, l.lines FROM run_logs l
        WHERE l.xid > head.xid AND l.xid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY l.xid FETCH FIRST $1 ROWS WITH TIES) l
), indexed AS (
    INSERT INTO run_log_words (user_id, job_id, attempt, seq, finished_at, words)
    SELECT s.user_id, s.job_id, s.attempt, s.seq, s.finished_at,
           strip(log_words(array_to_string(s.lines, E'\n'))) || array_to_tsvector(array_remove(
               ARRAY['@' || s.user_id, '@j' || s.job_id, '@s' || j.schedule_id]
               || ARRAY(SELECT '@l' || e.key || '=' || e.value FROM jsonb_each_text(j.labels) e), NULL))
    FROM chunk s LEFT JOIN LATERAL (
        SELECT o.schedule_id, o.labels FROM jobs o WHERE o.user_id = s.user_id AND o.id = s.job_id
        UNION ALL
        SELECT h.schedule_id, h.labels FROM history h WHERE h.user_id = s.user_id AND h.id = s.job_id
        LIMIT 1) j ON true
), moved AS (
    UPDATE run_log_head SET xid = (SELECT s.xid FROM chunk s ORDER BY s.xid DESC LIMIT 1) WHERE EXISTS (SELECT FROM chunk)
)
SELECT count(*) AS n FROM chunk

-- name: query
-- Returns what chunks and what lines must match, as text. $3: the marks of the chunks.
SELECT (CASE WHEN q.words IS NULL THEN q.marks ELSE q.words && q.marks END)::text AS chunks, q.lines::text AS lines
FROM (SELECT log_query($1::text[], $2::text[], false) AS words, log_query($1::text[], $2::text[], true) AS lines,
             log_marks($3::text[]) AS marks) q

-- name: oldest
-- Returns when the oldest searchable chunk of a user was stored.
SELECT w.finished_at FROM run_log_words w WHERE w.user_id = $1 ORDER BY w.finished_at LIMIT 1

-- name: floor
-- Returns when the chunk number $4 (from 0) before an instant was stored, counted backwards.
SELECT w.finished_at FROM run_log_words w
WHERE w.user_id = $1 AND w.finished_at >= $2::timestamptz AND w.finished_at < $3::timestamptz
ORDER BY w.finished_at DESC OFFSET $4 LIMIT 1

-- name: newest
-- Returns chunks that match in a stretch of time, newest first, by reading all of the user's chunks there. For words that
-- many lines have: the index of words would return all of them before the newest are known.
SELECT w.job_id, w.attempt, w.seq, w.finished_at FROM run_log_words w
WHERE w.user_id = $1 AND w.finished_at >= $2::timestamptz AND w.finished_at < $3::timestamptz
  AND w.words @@ $4::text::tsquery
ORDER BY w.finished_at DESC FETCH FIRST $5 ROWS WITH TIES

-- name: with_words
-- Returns chunks that match in a stretch of time, newest first, by the index of words.
SELECT job_id, attempt, seq, finished_at FROM log_chunks_with($1, $2, $3, $4::text::tsquery, $5)

-- name: match
-- Returns the lines that match of these chunks: how many, and the first $8 of them, each up to $9 characters. $6: what
-- lines must match; NULL means every line. $7: the states of the jobs that are meant; NULL means every state.
SELECT c.job_id, c.attempt, c.finished_at, m.n, m.numbers, m.texts
FROM unnest($2::bigint[], $3::smallint[], $4::int[], $5::timestamptz[]) AS c(job_id, attempt, seq, finished_at)
CROSS JOIN LATERAL (
    SELECT l.lines FROM run_logs l
    WHERE l.user_id = $1 AND l.job_id = c.job_id AND l.attempt = c.attempt AND l.seq = c.seq
      AND l.finished_at = c.finished_at LIMIT 1) l
CROSS JOIN LATERAL (
    SELECT count(*)::int AS n, (array_agg(c.seq + g.n::int ORDER BY g.n))[:$8] AS numbers,
           (array_agg(left(g.line, $9) ORDER BY g.n))[:$8] AS texts
    FROM unnest(l.lines) WITH ORDINALITY AS g(line, n)
    WHERE $6::text IS NULL OR log_words(g.line) @@ $6::text::tsquery) m
WHERE m.n > 0 AND ($7::text[] IS NULL OR (
    SELECT h.state::text FROM history h WHERE h.user_id = $1 AND h.id = c.job_id LIMIT 1) = ANY($7::text[]))
