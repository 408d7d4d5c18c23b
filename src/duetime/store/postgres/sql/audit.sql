-- Who changed what.
INSERT INTO audit (at, actor, action, subject, details) VALUES ($1, $2, $3, $4, $5::text::jsonb)
