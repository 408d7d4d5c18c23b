-- This database becomes one of several.
UPDATE placement
SET cluster = $1, number = $2, databases = $3, away = $4::smallint[], homes = $5::smallint[], version = version + 1,
    extended_at = clock_timestamp()
WHERE cluster IS NULL
RETURNING cluster
