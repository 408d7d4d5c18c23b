-- Indexes of ours whose making was interrupted: they are kept up, and used by nobody.
SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid AND c.relname = ANY($1::name[])
