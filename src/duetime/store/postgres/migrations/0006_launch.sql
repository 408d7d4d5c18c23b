-- Launching for the node itself: one round trip commits the runs and answers what they are to do.
--
-- The row in in_flight is the identity of the run and the lock on its job. Walls: the lease row (locked first, so
-- that fencing waits for this and this sees fencing), the shard's term, the primary key, the lane index. What is to
-- be done is read by a statement after the lock, with a snapshot of its own: an edit or a cancel that was answered
-- before the launch is seen. Rows reach the caller before the commit, and count for nothing without it.
--
-- An insert, not an update of the indexed job row: 48,000 against 30,000 jobs/s the whole way. Whether a job is in
-- flight already, or another of its lane, is looked up only when `careful`: a collision hits a unique index, and the
-- caller tries again so.
-- Terms are looked up one by one for a few jobs, and all at once for many. As joins, plans once compared every job
-- with every shard, or every lane: so everything is found by subqueries, and without sorting: a plan made while the
-- table is empty would read all jobs of a user and sort them to find the head of a lane.
-- A job that was launched and is gone, or was given another instant or another place in its lane, comes back without a
-- definition: the caller takes its launch back.
CREATE FUNCTION launch(
    node int, at timestamptz, careful boolean,
    ids bigint[], users int[], terms bigint[], attempts smallint[], lanes text[], places timestamptz[])
RETURNS TABLE (
    id bigint, user_id int, definition_id int, message text, execute_at timestamptz, due_at timestamptz,
    expires_at timestamptz, lane text, attempt smallint, base_attempt smallint, flow bigint)
LANGUAGE plpgsql SET enable_sort = off AS $$
DECLARE
    owned bigint[];
    launched bigint[];
    number int;
BEGIN
    PERFORM FROM leases WHERE node_id = node FOR KEY SHARE;
    -- An empty batch goes through everything: that is how a connection is made ready (warm.py).
    IF NOT FOUND AND cardinality(ids) > 0 THEN RETURN; END IF;
    IF cardinality(ids) > 64 THEN
        owned := ARRAY(SELECT CASE WHEN s.owner = node THEN s.term ELSE -1 END FROM shards s ORDER BY s.shard);
    END IF;
    INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane)
    SELECT p.job_id, p.user_id, node, p.term, p.attempt, at, p.lane
    FROM unnest(ids, users, terms, attempts, lanes, places) AS p(job_id, user_id, term, attempt, lane, place)
    WHERE p.term = CASE
        WHEN owned IS NOT NULL THEN owned[(p.job_id & 1023)::int + 1]
        ELSE (SELECT s.term FROM shards s WHERE s.shard = (p.job_id & 1023)::smallint AND s.owner = node) END
      AND (NOT careful OR (SELECT i.job_id FROM in_flight i WHERE i.job_id = p.job_id) IS NULL)
      AND (p.lane IS NULL OR (
          (NOT careful
           OR (SELECT i.job_id FROM in_flight i WHERE i.user_id = p.user_id AND i.lane = p.lane) IS NULL)
          AND (SELECT e.id FROM jobs e WHERE e.user_id = p.user_id AND e.lane = p.lane
               ORDER BY e.execute_at, e.id LIMIT 1) = p.job_id));
    GET DIAGNOSTICS number = ROW_COUNT;
    IF number < cardinality(ids) THEN
        launched := ARRAY(
            SELECT i.job_id FROM unnest(ids) AS p(job_id)
            CROSS JOIN LATERAL (
                SELECT i.job_id FROM in_flight i
                WHERE i.job_id = p.job_id AND i.xmin = pg_current_xact_id()::xid OFFSET 0) i);
    END IF;
    RETURN QUERY
    SELECT p.job_id, p.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow
    FROM unnest(ids, users, attempts, places) AS p(job_id, user_id, attempt, place)
    LEFT JOIN LATERAL (
        SELECT j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt, j.base_attempt,
               j.flow
        FROM jobs j
        WHERE j.user_id = p.user_id AND j.id = p.job_id AND j.attempt = p.attempt - 1
          AND j.due_at <= at AND j.parked IS NULL AND (p.place IS NULL OR j.execute_at = p.place)
        OFFSET 0) j ON true
    WHERE launched IS NULL OR p.job_id = ANY(launched);
END $$;
