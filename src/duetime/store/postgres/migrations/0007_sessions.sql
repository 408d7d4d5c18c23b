-- Sessions of browsers. A browser holds a random secret in a cookie, and the database its hash.

CREATE TABLE sessions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id int NOT NULL REFERENCES users,
    secret_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL, -- when it was last used, to a minute
    expires_at timestamptz NOT NULL, -- the latest end, however often it is used
    address text NOT NULL,
    client text NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX sessions_by_user ON sessions (user_id, id);
