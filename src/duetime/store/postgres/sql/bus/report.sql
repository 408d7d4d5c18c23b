-- What a living node says of itself, anew.
INSERT INTO node_reports AS r (node_id, slots, open_slots, free_slots, labels, key_print)
SELECT node_id, $2::int, $3::int, $4::int, $5::text::jsonb, $6::bytea FROM leases WHERE node_id = $1
ON CONFLICT (node_id) DO UPDATE
SET slots = excluded.slots, open_slots = excluded.open_slots, free_slots = excluded.free_slots,
    labels = excluded.labels, key_print = excluded.key_print
