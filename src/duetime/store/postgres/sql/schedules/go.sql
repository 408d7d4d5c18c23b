-- Launch pending occurrences as they are, store the next one of each schedule, and read what is to be done: the plain
-- case, in one call (migrations/0007_go.sql).
SELECT * FROM go($1, $2, $3::go_row[])
