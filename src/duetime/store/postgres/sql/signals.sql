-- What metrics ask beside the way of a job (`SignalStore`).

-- name: standing
-- Counts dead letters (those in history, and those that block lanes) and blocked lanes, each up to a number.
SELECT (SELECT count(*) FROM (SELECT FROM history WHERE state = 'dead' LIMIT $1) h)::int AS dead_letters,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE parked = 'dead' LIMIT $1) j)::int
           AS blocked_lanes

-- name: workers
-- Counts living workers and their slots. From the leases outward: workers has those that are gone, too.
SELECT count(*) FILTER (WHERE NOT l.draining)::int AS active, count(*) FILTER (WHERE l.draining)::int AS draining,
       coalesce(sum(w.slots), 0)::int AS slots, coalesce(sum(least(w.slots, coalesce(w.free, w.slots))), 0)::int AS free
FROM leases l
CROSS JOIN LATERAL (SELECT w.slots, w.free FROM workers w WHERE w.id = l.node_id OFFSET 0) w

-- name: schedules
-- Returns how the last hundred ends of each active schedule went. Of the ends, only the hundred are read.
SELECT s.user_id, s.name, e.last_success, e.ends
FROM (SELECT id, user_id, name FROM schedules WHERE state = 'active' ORDER BY id LIMIT $1) s
CROSS JOIN LATERAL (
    SELECT max(h.finished_at) FILTER (WHERE h.state = 'succeeded') AS last_success,
           count(*) FILTER (WHERE h.id > coalesce(h.succeeded, 0))::int AS ends
    FROM (SELECT l.id, l.state, l.finished_at, max(l.id) FILTER (WHERE l.state = 'succeeded') OVER () AS succeeded
          FROM (SELECT id, state, finished_at FROM history
                WHERE schedule_id = s.id ORDER BY id DESC LIMIT 100) l) h
) e
