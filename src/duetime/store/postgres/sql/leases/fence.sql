-- Take away the leases that ran out. The delete waits for launches that hold the row, and every later
-- launch of that node finds no row: nothing is committed by it after this.
DELETE FROM leases WHERE until < clock_timestamp() RETURNING node_id
