-- Launching as before (0006_launch.sql), but a job in a lane is read as the first of its lane, which is one search
-- instead of two: one to see that it is the first and one to read it. If one of them is not, nothing is launched and the
-- caller tries again with `careful`: then it is looked at beforehand.
-- Jobs in lanes come first, and only they have lanes (and places): `unnest` fills up with nulls.
CREATE OR REPLACE FUNCTION launch(
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
    in_lanes int := 0;
    answered int;
    others int;
BEGIN
    PERFORM FROM leases WHERE node_id = node FOR KEY SHARE;
    -- An empty batch goes through everything: that is how a connection is made ready (warm.py).
    IF NOT FOUND AND cardinality(ids) > 0 THEN RETURN; END IF;
    IF cardinality(ids) > 64 THEN
        owned := ARRAY(SELECT CASE WHEN s.owner = node THEN s.term ELSE -1 END FROM shards s ORDER BY s.shard);
    END IF;
    INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane)
    SELECT p.job_id, p.user_id, node, p.term, p.attempt, at, p.lane
    FROM unnest(ids, users, terms, attempts, lanes) AS p(job_id, user_id, term, attempt, lane)
    WHERE p.term = CASE
        WHEN owned IS NOT NULL THEN owned[(p.job_id & 1023)::int + 1]
        ELSE (SELECT s.term FROM shards s WHERE s.shard = (p.job_id & 1023)::smallint AND s.owner = node) END
      AND (NOT careful OR (
          (SELECT i.job_id FROM in_flight i WHERE i.job_id = p.job_id) IS NULL
          AND (p.lane IS NULL OR (
              (SELECT i.job_id FROM in_flight i WHERE i.user_id = p.user_id AND i.lane = p.lane) IS NULL
              AND (SELECT e.id FROM jobs e WHERE e.user_id = p.user_id AND e.lane = p.lane
                   ORDER BY e.execute_at, e.id LIMIT 1) = p.job_id))));
    GET DIAGNOSTICS number = ROW_COUNT;
    IF number < cardinality(ids) THEN
        launched := ARRAY(
            SELECT i.job_id FROM unnest(ids) AS p(job_id)
            CROSS JOIN LATERAL (
                SELECT i.job_id FROM in_flight i
                WHERE i.job_id = p.job_id AND i.xmin = pg_current_xact_id()::xid OFFSET 0) i);
    END IF;
    IF lanes IS NOT NULL AND NOT careful THEN
        in_lanes := cardinality(lanes);
        RETURN QUERY
        SELECT p.job_id, p.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
               j.base_attempt, j.flow
        FROM unnest(ids[:in_lanes], users[:in_lanes], attempts[:in_lanes], lanes)
            AS p(job_id, user_id, attempt, lane)
        CROSS JOIN LATERAL (
            SELECT j.id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
                   j.base_attempt, j.flow, j.parked
            FROM jobs j WHERE j.user_id = p.user_id AND j.lane = p.lane
            ORDER BY j.execute_at, j.id LIMIT 1) j
        WHERE j.id = p.job_id AND j.attempt = p.attempt - 1 AND j.due_at <= at AND j.parked IS NULL
          AND (launched IS NULL OR p.job_id = ANY(launched));
        GET DIAGNOSTICS answered = ROW_COUNT;
    END IF;
    RETURN QUERY
    SELECT p.job_id, p.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow
    FROM unnest(ids[in_lanes + 1:], users[in_lanes + 1:], attempts[in_lanes + 1:], places[in_lanes + 1:])
        AS p(job_id, user_id, attempt, place)
    LEFT JOIN LATERAL (
        SELECT j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt, j.base_attempt,
               j.flow
        FROM jobs j
        WHERE j.user_id = p.user_id AND j.id = p.job_id AND j.attempt = p.attempt - 1
          AND j.due_at <= at AND j.parked IS NULL AND (p.place IS NULL OR j.execute_at = p.place)
        OFFSET 0) j ON true
    WHERE launched IS NULL OR p.job_id = ANY(launched);
    GET DIAGNOSTICS others = ROW_COUNT;
    IF in_lanes > 0 AND answered + others < number THEN
        RAISE unique_violation USING MESSAGE = 'a job is not the first of its lane, or is gone';
    END IF;
END $$;
