-- Which cluster this database belongs to.
SELECT id, name, coordinator FROM cluster
