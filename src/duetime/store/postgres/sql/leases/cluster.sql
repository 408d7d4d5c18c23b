-- The cluster that this database belongs to.
SELECT id FROM cluster
