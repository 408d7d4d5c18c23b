-- Where these shards live, for whoever cannot ask the database itself.
UPDATE placement SET homes = ARRAY(
    SELECT CASE WHEN (o.ord - 1)::smallint = ANY($1::smallint[]) THEN $2::smallint ELSE o.home END
    FROM unnest(homes) WITH ORDINALITY AS o(home, ord) ORDER BY o.ord)
WHERE homes IS NOT NULL
