-- Files: which files of injection's directories were read, by content, and how each ended.

-- A file is a partition of its source in injection_offsets: its records are stored in the transactions that move its
-- offset. The lease only saves work. Two nodes that read one file at once store each record once all the same.
CREATE TABLE injected_files (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source text NOT NULL CHECK (source <> ''),
    content bytea NOT NULL,
    name text NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'failed')),
    holder text NOT NULL,
    held_until timestamptz NOT NULL,
    taken_at timestamptz NOT NULL,
    ended_at timestamptz,
    moved boolean NOT NULL DEFAULT false,
    records bigint NOT NULL DEFAULT 0,
    stored bigint NOT NULL DEFAULT 0,
    reason text,
    UNIQUE (source, content),
    CHECK ((state = 'open') = (ended_at IS NULL))
);
