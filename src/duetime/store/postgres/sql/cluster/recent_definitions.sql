-- The definitions that new jobs have had lately, the newest first. Read by spares only, now and then.
SELECT id FROM definitions WHERE used_on >= $1 ORDER BY id DESC LIMIT $2
