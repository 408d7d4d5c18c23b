-- Searching logs: the words of every chunk of lines, in a table of their own that a duty fills.

-- Writers of lines pay for one more column and one short index entry. `xid` gives the order in which the duty reads: a
-- transaction that commits late has an xid that the duty has not passed.
ALTER TABLE run_logs ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX run_logs_order ON run_logs (xid);

-- One row: up to where lines are searchable. Indexing locks it.
CREATE TABLE run_log_head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    xid xid8 NOT NULL DEFAULT '0'
);
INSERT INTO run_log_head DEFAULT VALUES;

-- The words of a chunk, without their positions. Beside them stand marks, which no text can contain: `@` and the user,
-- `@j` and the job, `@s` and the schedule, `@l` and a label. So one index finds the words of one user. Retention drops a day.
CREATE TABLE run_log_words (
    user_id int NOT NULL,
    job_id bigint NOT NULL,
    attempt smallint NOT NULL,
    seq int NOT NULL,
    finished_at timestamptz NOT NULL,
    words tsvector NOT NULL
) PARTITION BY RANGE (finished_at);
CREATE INDEX run_log_words_by_time ON run_log_words (user_id, finished_at);
CREATE INDEX run_log_words_by_word ON run_log_words USING gin (words) WITH (gin_pending_list_limit = 512);

-- Returns a text with blanks for punctuation, so that hosts, paths and names with dots are found by each of their words.
CREATE FUNCTION log_text(line text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT translate(line, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', '                                ')
$$;

-- Returns the words of a text, in lower case and without any language's stemming.
CREATE FUNCTION log_words(line text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT to_tsvector('pg_catalog.simple', log_text(line))
$$;

-- Returns what lines must match: every phrase, and one of the words of a level; NULL if that is every line. Chunks have no
-- positions, so they are asked for the words of a phrase only (`as_phrases` is false).
CREATE FUNCTION log_query(phrases text[], levels text[], as_phrases boolean) RETURNS tsquery
LANGUAGE plpgsql STABLE AS $$
DECLARE
    whole tsquery;
    one tsquery;
    phrase text;
BEGIN
    FOREACH phrase IN ARRAY phrases LOOP
        IF as_phrases THEN
            one := phraseto_tsquery('pg_catalog.simple', log_text(phrase));
        ELSE
            one := plainto_tsquery('pg_catalog.simple', log_text(phrase));
        END IF;
        CONTINUE WHEN numnode(one) = 0;
        whole := CASE WHEN whole IS NULL THEN one ELSE whole && one END;
    END LOOP;
    IF cardinality(levels) > 0 THEN
        one := array_to_string(levels, ' | ')::tsquery;
        whole := CASE WHEN whole IS NULL THEN one ELSE whole && one END;
    END IF;
    RETURN whole;
END $$;

-- Returns the marks of a chunk as a query.
CREATE FUNCTION log_marks(marks text[]) RETURNS tsquery
LANGUAGE sql STABLE AS $$
    SELECT string_agg('''' || replace(replace(mark, '\', '\\'), '''', '''''') || '''', ' & ')::tsquery FROM unnest(marks) mark
$$;

-- Returns chunks with words, newest first, by the index of words. An index of this kind is only read through a bitmap,
-- and connections of the pool avoid bitmaps.
CREATE FUNCTION log_chunks_with(who int, since timestamptz, until timestamptz, wanted tsquery, most int)
RETURNS TABLE (job_id bigint, attempt smallint, seq int, finished_at timestamptz)
LANGUAGE sql STABLE SET enable_bitmapscan = on SET enable_indexscan = off SET enable_indexonlyscan = off
SET enable_seqscan = off AS $$
    SELECT w.job_id, w.attempt, w.seq, w.finished_at FROM run_log_words w
    WHERE w.words @@ wanted AND w.user_id + 0 = who AND w.finished_at >= since AND w.finished_at < until
    ORDER BY w.finished_at DESC FETCH FIRST (most) ROWS WITH TIES
$$;
