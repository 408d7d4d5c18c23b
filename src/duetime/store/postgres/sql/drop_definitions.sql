-- Remove definitions not used lately that no job and no record refers to (a daily, whole look).
DELETE FROM definitions d
WHERE d.used_on < $1::date
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.definition_id = d.id)
  AND NOT EXISTS (SELECT FROM history h WHERE h.definition_id = d.id)
  AND NOT EXISTS (SELECT FROM schedules s WHERE s.definition_id = d.id)
