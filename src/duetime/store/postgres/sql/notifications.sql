-- Notifications: rules, incidents and messages (`NotificationStore`).

-- name: lock
-- Raises the version, and so keeps decisions and changes of rules apart.
UPDATE notifier SET version = version + 1

-- name: decide
-- Raises the version if it is the expected one.
UPDATE notifier SET version = version + 1 WHERE version = $1 RETURNING version

-- name: create_rule
-- Stores a rule.
INSERT INTO notification_rules (user_id, content, created_at, updated_at) VALUES ($1, $2, $3, $3) RETURNING *

-- name: rule
-- Returns a rule of a user.
SELECT * FROM notification_rules WHERE id = $2 AND user_id = $1

-- name: rules
-- Returns a user's rules by id.
SELECT * FROM notification_rules WHERE user_id = $1 AND id + 0 > $2 ORDER BY id + 0 LIMIT $3

-- name: rules_of
-- Returns the rules of some users, and those with some ids.
SELECT * FROM notification_rules WHERE user_id = ANY($1::int[])
UNION SELECT * FROM notification_rules WHERE id = ANY($2::bigint[])
ORDER BY id

-- name: edit_rule
-- Replaces a rule.
UPDATE notification_rules SET content = $3, updated_at = $4 WHERE id = $2 AND user_id = $1 RETURNING *

-- name: delete_rule
-- Deletes a rule.
DELETE FROM notification_rules WHERE id = $2 AND user_id = $1 RETURNING id

-- name: forget_incidents
-- Deletes what goes on for a rule.
DELETE FROM incidents WHERE rule_id = $1

-- name: forget_gathering
-- Deletes the gathering message of a rule.
DELETE FROM notices WHERE rule_id = $1 AND state = 'gathering'

-- name: watch
-- Sets the ends of a user that rules must learn of.
INSERT INTO notified_users (user_id, states) VALUES ($1, $2::text[]::job_state[])
ON CONFLICT (user_id) DO UPDATE SET states = excluded.states

-- name: unwatch
-- Ends of a user are not needed any more.
DELETE FROM notified_users WHERE user_id = $1

-- name: watch_conditions
-- Sets the conditions that a user's rules ask for; for none, the row goes.
WITH gone AS (DELETE FROM watched_conditions WHERE user_id = $1 AND cardinality($2::text[]) = 0)
INSERT INTO watched_conditions (user_id, events) SELECT $1, $2::text[] WHERE cardinality($2::text[]) > 0
ON CONFLICT (user_id) DO UPDATE SET events = excluded.events

-- name: conditions
-- Returns the conditions that hold now, and what happened to the cluster since an instant. Shards without an owner say
-- no instant: the caller remembers when it saw them first.
SELECT 'breaker_open' AS event, g.user_id, g.name, min(g.since) AS since,
       max(g.failures) || ' failures in a row' AS reason
FROM closed_gates g
WHERE g.kind = 'breaker' AND EXISTS (SELECT FROM leases l WHERE l.node_id = g.node_id)
GROUP BY g.user_id, g.name
UNION ALL
SELECT e.event, 0, e.name, e.since, e.reason FROM cluster_events e WHERE e.since >= $1
UNION ALL
SELECT 'shards_unowned', 0, 'Shards', NULL, count(*) || ' of 1024 shards'
FROM shards s
WHERE NOT s.away AND NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner)
HAVING count(*) > 0

-- name: open_conditions
-- Returns the incidents of conditions that rules have.
SELECT * FROM incidents WHERE rule_id = ANY($1::bigint[]) AND subject LIKE 'condition/%'

-- name: report_outage
-- Stores that the database was away, if a rule asks for it and no other node has reported the same outage.
INSERT INTO cluster_events (event, name, reason, since, until)
SELECT 'database_away', 'The database', 'for ' || ceil(extract(epoch FROM $2::timestamptz - $1::timestamptz)) || ' s', $1, $2
WHERE EXISTS (SELECT FROM watched_conditions WHERE 'database_away' = ANY(events))
  AND NOT EXISTS (SELECT FROM cluster_events e WHERE e.event = 'database_away' AND e.until >= $1 AND e.since <= $2)

-- name: any_watched
-- Returns whether any user has an active rule.
SELECT EXISTS (SELECT FROM notified_users)

-- name: watched
-- Returns which of these users have active rules.
SELECT user_id FROM notified_users WHERE user_id = ANY($1::int[])

-- name: standing
-- Returns the version, and whether there is anything to look at.
SELECT version, EXISTS (SELECT FROM notified_users) AS watched,
       (SELECT array_agg(user_id) FROM watched_conditions) AS watching,
       EXISTS (SELECT FROM notices WHERE state IN ('gathering', 'sending') AND due_at <= $1) AS open
FROM notifier

-- name: to_remind
-- Returns incidents whose reminder is due.
SELECT * FROM incidents WHERE remind_at <= $1 ORDER BY remind_at LIMIT $2

-- name: open_notices
-- Returns messages that gather and are due, and those that are being sent.
SELECT * FROM notices WHERE state IN ('gathering', 'sending') AND due_at <= $1 ORDER BY due_at LIMIT $2

-- name: facts
-- Returns what an end does not say of its job. The instant of the end leads to the one day of history that has the job.
SELECT g.job_id, coalesce(h.labels, j.labels)::text AS labels, coalesce(h.due_at, j.due_at) AS due_at, h.launched_at,
       s.name AS schedule, s.state AS schedule_state
FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::bigint[]) AS g(user_id, job_id, finished_at, schedule_id)
LEFT JOIN LATERAL (
    SELECT h.labels, h.due_at, h.launched_at FROM history h
    WHERE h.user_id = g.user_id AND h.id = g.job_id AND h.finished_at = g.finished_at OFFSET 0) h ON true
LEFT JOIN LATERAL (
    SELECT j.labels, j.due_at FROM jobs j WHERE j.user_id = g.user_id AND j.id = g.job_id OFFSET 0) j ON true
LEFT JOIN LATERAL (SELECT s.name, s.state FROM schedules s WHERE s.id = g.schedule_id OFFSET 0) s ON true

-- name: incidents
-- Returns incidents by rule and subject.
SELECT i.*
FROM unnest($1::bigint[], $2::text[]) AS g(rule_id, subject)
CROSS JOIN LATERAL (SELECT * FROM incidents i WHERE i.rule_id = g.rule_id AND i.subject = g.subject OFFSET 0) i

-- name: keep_incidents
-- Stores incidents that are new or have changed.
INSERT INTO incidents (rule_id, subject, since, in_a_row, told, remind_at)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::int[], $5::bool[], $6::timestamptz[])
ON CONFLICT (rule_id, subject) DO UPDATE
SET since = excluded.since, in_a_row = excluded.in_a_row, told = excluded.told, remind_at = excluded.remind_at

-- name: end_incidents
-- Deletes incidents that are over.
DELETE FROM incidents i USING unnest($1::bigint[], $2::text[]) AS g(rule_id, subject)
WHERE i.rule_id = g.rule_id AND i.subject = g.subject

-- name: gather
-- Adds events to the gathering messages of rules: all are counted, the first 20 are listed.
INSERT INTO notices AS n (rule_id, user_id, state, opened_at, due_at, number, items)
SELECT g.rule_id, g.user_id, 'gathering', g.at, g.due_at, g.number, g.items::jsonb
FROM unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::text[])
     AS g(rule_id, user_id, at, due_at, number, items)
ON CONFLICT (rule_id) WHERE state = 'gathering' DO UPDATE
SET number = n.number + excluded.number, items = jsonb_path_query_array(n.items || excluded.items, '$[0 to 19]')

-- name: change_notices
-- Sets what becomes of messages.
UPDATE notices n
SET state = g.state, due_at = g.due_at, held = coalesce(g.held, n.held), closed_at = coalesce(g.closed_at, n.closed_at),
    jobs = coalesce(g.jobs::bigint[], n.jobs)
FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::timestamptz[], $6::text[])
     AS g(id, state, due_at, held, closed_at, jobs)
WHERE n.id = g.id

-- name: add_test
-- Stores a test message of a rule.
INSERT INTO notices (rule_id, user_id, state, test, opened_at, due_at, number, items, closed_at)
SELECT id, user_id, 'sending', true, $3, $3, 1, $4::text::jsonb, $3 FROM notification_rules
WHERE user_id = $1 AND id = $2
RETURNING *

-- name: notices
-- Returns a user's messages, newest first.
SELECT * FROM notices WHERE user_id = $1 AND id + 0 < $2 ORDER BY id + 0 DESC LIMIT $3

-- name: closed_since
-- Returns when messages of rules were closed to be sent.
SELECT n.rule_id, n.closed_at FROM notices n
WHERE n.rule_id = ANY($1::bigint[]) AND n.closed_at > $2 AND NOT n.test ORDER BY n.closed_at

-- name: add_sender
-- Creates the user who sends messages. No client can give this name.
INSERT INTO users (username, password_hash, job_weight, role, tokens_from, created_at)
VALUES ('(duetime)', '!', 1, 'user', $1, $1)
ON CONFLICT (lower(username)) DO NOTHING

-- name: sender
-- Returns the user who sends messages.
SELECT id FROM users WHERE lower(username) = '(duetime)'

-- name: drop_notices
-- Deletes messages that were done before an instant.
DELETE FROM notices WHERE state IN ('sent', 'dropped') AND closed_at < $1

-- name: drop_incidents
-- Deletes incidents of single jobs that began before an instant: nothing else would end them.
DELETE FROM incidents WHERE since < $1 AND subject ~ '^(late/|ended/)?job:'

-- name: drop_events
-- Deletes what happened to the cluster before an instant.
DELETE FROM cluster_events WHERE until < $1
