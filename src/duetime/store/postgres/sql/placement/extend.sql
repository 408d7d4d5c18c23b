-- The cluster has more databases than before.
UPDATE placement SET databases = $1, extended_at = CASE WHEN databases < $1 THEN clock_timestamp() ELSE extended_at END
WHERE databases < $1
