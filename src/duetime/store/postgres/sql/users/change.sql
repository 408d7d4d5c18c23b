-- A new weight, other limits, quotas, shards or labels; the flags say what is set.
UPDATE users
SET job_weight = coalesce($2::float8, job_weight),
    limits = CASE WHEN $3::bool THEN $4::text::jsonb ELSE limits END,
    quotas = CASE WHEN $5::bool THEN $6::text::jsonb ELSE quotas END,
    pinned_to = CASE WHEN $7::bool THEN $8::smallint[] ELSE pinned_to END,
    requires = CASE WHEN $9::bool THEN $10::text::jsonb ELSE requires END
WHERE id = $1
RETURNING *
