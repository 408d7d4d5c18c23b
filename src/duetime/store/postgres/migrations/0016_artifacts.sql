-- Artifacts: names with versions, and what the store of contents holds for them.

-- What lies in the store of contents, or may lie there: one row for each key. Without a version, it has until `expires_at`
-- to be uploaded, and is removed after that.
CREATE TABLE artifact_contents (
    key text PRIMARY KEY,
    user_id int NOT NULL REFERENCES users,
    digest text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    size bigint NOT NULL CHECK (size > 0),
    expires_at timestamptz -- NULL: a version has it
);
CREATE INDEX artifact_contents_by_user ON artifact_contents (user_id);
CREATE INDEX artifact_contents_unused ON artifact_contents (expires_at) WHERE expires_at IS NOT NULL;

-- Versions. The latest of a name is the one that was pushed last.
CREATE TABLE artifacts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id int NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    content text NOT NULL REFERENCES artifact_contents,
    filename text NOT NULL,
    unpack boolean NOT NULL,
    pushed_at timestamptz NOT NULL,
    UNIQUE (user_id, name, digest)
);
CREATE INDEX artifacts_latest ON artifacts (user_id, name, pushed_at, id);
CREATE INDEX artifacts_by_content ON artifacts (content);

-- Definitions of jobs and schedules that name an artifact: few, so removing a version looks at few.
CREATE INDEX definitions_with_artifact ON definitions (user_id, id) WHERE position('"artifact":"'::bytea IN body) > 0;
