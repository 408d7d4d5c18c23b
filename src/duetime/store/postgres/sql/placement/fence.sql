-- Which shards are not here, held still until the end of the transaction: closing a shard waits for it.
SELECT away FROM placement FOR SHARE
