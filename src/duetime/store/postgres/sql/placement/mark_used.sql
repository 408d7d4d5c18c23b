-- Definitions that another database still needs.
UPDATE definitions SET used_on = $2::date WHERE id = ANY($1::int[]) AND used_on < $2
