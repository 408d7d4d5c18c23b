-- Launch for this node and read what is to be done (migrations/0009_launch.sql). Arrays come as text: see literals.py.
-- Jobs in lanes come first, and lanes are of these only. Places too, and only when it is tried again: a job that is read
-- as the first of its lane, under its lock, is that wherever it was before.
SELECT * FROM launch($1, $2, $3, $4::text::bigint[], $5::text::int[], $6::text::bigint[], $7::text::smallint[],
                     $8::text::text[], $9::timestamptz[])
