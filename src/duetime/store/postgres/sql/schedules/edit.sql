-- Set what a schedule says (its lock is held).
UPDATE schedules
SET name = $2, spec = $3, calendar_id = $4, definition_id = $5, flow = $6, message = $7, ordering_key = $8,
    priority = $9, labels = $10, expires_after = $11, misfire = $12, overlap = $13, max_occurrences = $14
WHERE id = $1
