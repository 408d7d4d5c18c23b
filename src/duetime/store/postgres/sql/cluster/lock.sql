-- Which cluster this database belongs to, with nobody changing it meanwhile.
SELECT id, name, coordinator FROM cluster FOR UPDATE
