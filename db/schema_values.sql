-- The table of values of timers: see taudb(5). Runs after schema.sql in a new database, and when tau-db gc orders the values of an older one.

-- Added, instead of TAU's table timer_value, which is a view: a percentage that is NULL follows from thread_sum.largest. Without row numbers:
-- the table is its own index. TAU's has row numbers and an index of the same two columns besides.
CREATE TABLE timer_value_base (
	timer_call_data INT NOT NULL,
	metric INT NOT NULL,
	inclusive_value DOUBLE PRECISION,
	exclusive_value DOUBLE PRECISION,
	inclusive_percent DOUBLE PRECISION,
	exclusive_percent DOUBLE PRECISION,
	sum_exclusive_squared DOUBLE PRECISION,
	PRIMARY KEY (timer_call_data, metric),
	FOREIGN KEY (timer_call_data) REFERENCES timer_call_data (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (metric) REFERENCES metric (id) ON DELETE NO ACTION ON UPDATE NO ACTION
) WITHOUT ROWID;
