-- Register schedules, active and without an occurrence yet.
INSERT INTO schedules (id, user_id, name, spec, calendar_id, definition_id, flow, shard, message, ordering_key,
                       priority, labels, expires_after, misfire, overlap, max_occurrences, state, effective_from,
                       version, created_at, updated_at)
SELECT p.id, p.user_id, p.name, p.spec, p.calendar_id, p.definition_id, p.flow, p.shard, p.message, p.ordering_key,
       p.priority, p.labels, p.expires_after, p.misfire, p.overlap, p.max_occurrences, 'active', $17::timestamptz,
       0, $17, $17
FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::bigint[], $6::int[], $7::bigint[], $8::smallint[],
            $9::text[], $10::text[], $11::smallint[], $12::text[], $13::float8[], $14::text[], $15::text[],
            $16::bigint[])
     AS p(id, user_id, name, spec, calendar_id, definition_id, flow, shard, message, ordering_key, priority, labels,
          expires_after, misfire, overlap, max_occurrences)
