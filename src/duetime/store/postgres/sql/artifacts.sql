-- Artifacts, their versions, and what the store of contents holds (`ArtifactStore`).

-- name: lock_user
-- Lets one push of a user run at a time, so that quotas hold. The number is the bytes "duar", for the locks of artifacts.
SELECT pg_advisory_xact_lock(1685414258, $1)

-- name: usage
-- Returns how many bytes a user has in the store of contents, and how many other artifacts than $2.
SELECT (SELECT coalesce(sum(c.size), 0)::bigint FROM artifact_contents c WHERE c.user_id = $1) AS bytes,
       (SELECT count(DISTINCT a.name) FROM artifacts a WHERE a.user_id = $1 AND a.name <> $2) AS names

-- name: same_content
-- Returns the key of a content that a version of the user has already, and keeps that version until the end of the push.
SELECT a.content FROM artifacts a WHERE a.user_id = $1 AND a.digest = $2 LIMIT 1 FOR SHARE

-- name: begin
-- Stores that a content may be uploaded until an instant.
INSERT INTO artifact_contents (key, user_id, digest, size, expires_at) VALUES ($1, $2, $3, $4, $5)

-- name: uploaded
-- Takes an upload that has not expired for a version.
UPDATE artifact_contents SET expires_at = NULL
WHERE key = $1 AND user_id = $2 AND (expires_at IS NULL OR expires_at > $3::timestamptz)
RETURNING digest, size

-- name: upload
-- Returns an upload of a user.
SELECT key, digest, size, expires_at FROM artifact_contents WHERE key = $1 AND user_id = $2

-- name: push
-- Stores a version, which is the latest of its name from now on.
INSERT INTO artifacts (user_id, name, digest, content, filename, unpack, pushed_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (user_id, name, digest) DO UPDATE
SET content = excluded.content, filename = excluded.filename, unpack = excluded.unpack, pushed_at = excluded.pushed_at

-- name: expire_unused
-- Marks the contents of a user that no version has any more as unused.
UPDATE artifact_contents c SET expires_at = $2
WHERE c.user_id = $1 AND c.expires_at IS NULL AND NOT EXISTS (SELECT FROM artifacts a WHERE a.content = c.key)

-- name: versions
-- Returns the versions of an artifact, the latest first.
SELECT a.id, a.name, a.digest, c.size, a.filename, a.unpack, a.pushed_at, a.content
FROM artifacts a JOIN artifact_contents c ON c.key = a.content
WHERE a.user_id = $1 AND a.name = $2 ORDER BY a.pushed_at DESC, a.id DESC

-- name: latest
-- Returns the latest version of an artifact.
SELECT a.name, a.digest, c.size, a.filename, a.unpack, a.pushed_at, a.content
FROM artifacts a JOIN artifact_contents c ON c.key = a.content
WHERE a.user_id = $1 AND a.name = $2 ORDER BY a.pushed_at DESC, a.id DESC LIMIT 1

-- name: version
-- Returns a version of an artifact by its digest.
SELECT a.name, a.digest, c.size, a.filename, a.unpack, a.pushed_at, a.content
FROM artifacts a JOIN artifact_contents c ON c.key = a.content
WHERE a.user_id = $1 AND a.name = $2 AND a.digest = $3

-- name: list
-- Returns the artifacts of a user by name: the latest version of each, how many there are, and their bytes.
SELECT DISTINCT ON (a.name) a.name, a.digest, c.size, a.filename, a.unpack, a.pushed_at, a.content,
       count(*) OVER (PARTITION BY a.name)::int AS versions, (sum(c.size) OVER (PARTITION BY a.name))::bigint AS bytes
FROM artifacts a JOIN artifact_contents c ON c.key = a.content
WHERE a.user_id = $1 ORDER BY a.name, a.pushed_at DESC, a.id DESC

-- name: naming
-- Returns which of these references definitions of jobs and schedules of a user name.
SELECT r.reference FROM unnest($2::text[]) AS r(reference)
WHERE EXISTS (
    SELECT FROM definitions d
    WHERE d.user_id = $1 AND position('"artifact":"'::bytea IN d.body) > 0
      AND position(convert_to('"artifact":"' || r.reference, 'UTF8') IN d.body) > 0)

-- name: remove
-- Removes versions of an artifact. Returns their digests.
DELETE FROM artifacts WHERE user_id = $1 AND name = $2 AND digest = ANY($3::text[]) RETURNING digest

-- name: unused
-- Returns contents that have no version since before an instant.
SELECT key FROM artifact_contents WHERE expires_at < $1::timestamptz ORDER BY expires_at LIMIT $2

-- name: forget
-- Removes the row of a content that was removed.
DELETE FROM artifact_contents WHERE key = ANY($1::text[]) AND expires_at IS NOT NULL
