-- Breakers of schedulers that are gone.
DELETE FROM breakers b WHERE NOT EXISTS (SELECT FROM leases l WHERE l.node_id = b.node_id)
