-- Launching jobs for the node itself, and taking back launches of which nothing was sent (`LaunchStore`).

-- name: commit
-- Launches jobs for this node and reads what they are to do (migrations/0002_launch.sql). Arrays come as text: see
-- literals.py. Jobs in lanes come first, and only they have lanes. Positions are given only at another try: a job that
-- is read as the first of its lane, under its lock, is the first one wherever it stood before.
SELECT * FROM launch($1, $2, $3, $4::text::bigint[], $5::text::int[], $6::text::bigint[], $7::text::smallint[],
                     $8::text::text[], $9::timestamptz[])

-- name: unlaunch
-- Takes back launches of which nothing was sent, because the job is gone or moved, or because it is not known whether
-- the launch was committed. A job that was asked to stop meanwhile must not run again: the promise was made to the
-- launch, and would end with it, so the job ends as cancelled here, without a run, at the instant of its launch. $3 is
-- the instant of the launch that is meant, or of its taking: a late call must not take back a later launch, nor an
-- offer that the same node took meanwhile.
WITH back AS (
    DELETE FROM in_flight WHERE job_id = ANY($2::bigint[]) AND executor = $1
                            AND coalesce(taken_at, launched_at) <= $3::timestamptz
    RETURNING job_id, user_id, cancel, launched_at
)
SELECT e.* FROM end_jobs((
    SELECT array_agg(ROW(user_id, job_id, 'cancelled', NULL, NULL, NULL, NULL, launched_at, 'cancelled', NULL, NULL, NULL,
                         NULL)::end_row)
    FROM back WHERE cancel)) AS e

-- name: left_behind
-- Returns the launches that became a node's at exactly one of some instants: of statements whose answers were lost.
SELECT job_id FROM in_flight WHERE executor = $1 AND coalesce(taken_at, launched_at) = ANY($2::timestamptz[])

-- name: definitions
-- Returns definitions by id.
SELECT id, body FROM definitions WHERE id = ANY($1::int[])
