-- Sweep away what nodes said that are gone.
DELETE FROM node_reports r WHERE NOT EXISTS (SELECT FROM leases l WHERE l.node_id = r.node_id)
