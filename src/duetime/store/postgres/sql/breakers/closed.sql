-- A breaker closed.
DELETE FROM breakers WHERE flow = $1 AND node_id = $2
