-- The first name that a node is configured with is the cluster's.
UPDATE cluster SET name = $1 WHERE name IS NULL
