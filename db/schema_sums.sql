-- Sums over the timers of each thread: see taudb(5). Runs after schema.sql in a new database, and in one that an earlier version has made.

-- Added: the timers of a thread in a window (NULL: the only one of its trial), without call paths and samples; runtimes: those of the groups MPI
-- and SHMEM. Derived threads have no rows.
CREATE TABLE thread_sum (
	thread INT NOT NULL,
	time_range INT,
	metric INT NOT NULL,
	timers INT NOT NULL,		-- how many have a value
	exclusive DOUBLE PRECISION,	-- NULL: all are unknown
	runtimes DOUBLE PRECISION,
	largest DOUBLE PRECISION,	-- inclusive value, call paths and samples included; NULL: not above 0, or not computed
	FOREIGN KEY (thread) REFERENCES thread (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (time_range) REFERENCES time_range (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (metric) REFERENCES metric (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE INDEX thread_sum_place ON thread_sum (thread, metric, time_range);
