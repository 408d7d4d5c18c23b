-- Set what a schedule says (its lock is held).
UPDATE schedules
SET name = $2, spec = $3, calendar_id = $4, definition_id = $5, flow = $6, shard = $7, message = $8, ordering_key = $9,
    priority = $10, labels = $11, expires_after = $12, misfire = $13, overlap = $14, max_occurrences = $15
WHERE id = $1
