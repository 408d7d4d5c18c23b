-- Those of a lane that wait for others to end, by lane: whoever ends a job sees here whether somebody is to follow, and
-- the sweep goes from lane to lane along it. The first few of a lane are ready from the beginning, so most lanes have
-- nobody here and cost nothing but the look. No other index has lanes in this order: whoever asks for the first in it
-- is answered from here, and not by going through all who are ready.
CREATE INDEX jobs_behind ON jobs (user_id, lane, id) WHERE lane IS NOT NULL AND NOT ready;
