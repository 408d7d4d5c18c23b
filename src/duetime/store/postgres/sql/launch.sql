-- Launch for this node and read what is to be done (migrations/0006_launch.sql). Arrays of numbers come as text: see
-- literals.py. Lanes and places are null when no job of the batch is in a lane.
SELECT * FROM launch($1, $2, $3, $4::text::bigint[], $5::text::int[], $6::text::bigint[], $7::text::smallint[],
                     $8::text[], $9::timestamptz[])
