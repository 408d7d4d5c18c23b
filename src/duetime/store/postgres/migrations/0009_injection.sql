-- Injection: how far the topics have been read that jobs come from, what was refused, and the jobs of records' keys.

-- The next record to read, by source and partition. It moves in the transaction that stores the jobs, from exactly where
-- the reader believes it to be: a reader that lost its partition moves nothing and stores nothing.
CREATE TABLE injection_offsets (
    source text NOT NULL CHECK (source <> ''),
    partition int NOT NULL CHECK (partition >= 0),
    next_offset bigint NOT NULL CHECK (next_offset >= 0),
    PRIMARY KEY (source, partition)
);

-- Records that are no jobs, until they are published to the source's topic for such records.
CREATE TABLE refused_records (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source text NOT NULL,
    partition int NOT NULL,
    record_offset bigint NOT NULL,
    record bytea NOT NULL
);

-- The job that the last record with a key became, and where that record is.
CREATE TABLE injected_keys (
    source text NOT NULL,
    key bytea NOT NULL,
    user_id int NOT NULL,
    job_id bigint NOT NULL,
    partition int NOT NULL,
    record_offset bigint NOT NULL,
    PRIMARY KEY (source, key)
);
