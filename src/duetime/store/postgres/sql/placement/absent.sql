-- Which of these jobs are neither waiting nor on record here.
SELECT p.id
FROM unnest($1::int[], $2::bigint[]) AS p(user_id, id)
WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.user_id = p.user_id AND j.id = p.id)
  AND NOT EXISTS (SELECT FROM history h WHERE h.user_id = p.user_id AND h.id = p.id)
