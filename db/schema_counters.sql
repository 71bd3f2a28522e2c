-- Counters, and memory by type: see taudb(5). Runs after schema.sql in a new database, and in one whose counters are TAU's tables
-- (schema.c), which have been renamed then.

-- Added, instead of TAU's tables counter and counter_value, which are views below: all counters; what is counted of the
-- memory of an object has no name here but the numbers of object and of what is counted.
CREATE TABLE counter_base (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	trial INT NOT NULL,
	name VARCHAR,
	object INT,		-- in memory_object
	number INT,		-- in memory_number
	FOREIGN KEY (trial) REFERENCES trial (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (object) REFERENCES memory_object (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

-- Added: the values of counters that are not in memory_value.
CREATE TABLE counter_value_base (
	counter INT NOT NULL,
	timer_callpath INT,
	thread INT NOT NULL,
	sample_count INT,
	maximum_value DOUBLE PRECISION,
	minimum_value DOUBLE PRECISION,
	mean_value DOUBLE PRECISION,
	standard_deviation DOUBLE PRECISION,
	sum_of_squares DOUBLE PRECISION,	-- NULL in rows that TAU's loader wrote
	time_range INT,				-- as in timer_call_data
	FOREIGN KEY (counter) REFERENCES counter_base (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (timer_callpath) REFERENCES timer_callpath (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (thread) REFERENCES thread (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

-- Added: the words of memory, shared by all trials.
CREATE TABLE memory_name (
	id INTEGER PRIMARY KEY,
	name VARCHAR NOT NULL
);

-- The elements of a chain of owners 'a <= b'; position 0: the immediate owner.
CREATE TABLE memory_owner (
	chain INT NOT NULL,
	position INT NOT NULL,
	name INT NOT NULL,
	PRIMARY KEY (chain, position),
	FOREIGN KEY (chain) REFERENCES memory_name (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (name) REFERENCES memory_name (id) ON DELETE NO ACTION ON UPDATE NO ACTION
) WITHOUT ROWID;

CREATE TABLE memory_kind (
	id INTEGER PRIMARY KEY,
	name VARCHAR NOT NULL
);
INSERT INTO memory_kind (id, name) VALUES
	(0, 'typed'), (1, 'slab'), (2, 'untyped'), (3, 'unaccounted'), (4, 'mapped'), (5, 'variable');

CREATE TABLE memory_family (
	id INTEGER PRIMARY KEY,
	name VARCHAR NOT NULL
);
INSERT INTO memory_family (id, name) VALUES
	(0, 'unknown'), (1, 'OPAL'), (2, 'PMIx'), (3, 'C++'), (4, 'CPython'), (5, 'rule'), (6, 'program');

-- What counters count of the memory of an object: the first word of their names.
CREATE TABLE memory_number (
	id INTEGER PRIMARY KEY,
	name VARCHAR NOT NULL
);
INSERT INTO memory_number (id, name) VALUES
	(1, 'alloc'), (2, 'free'), (3, 'retyped'), (4, 'live'), (5, 'live objects'), (6, 'peak'), (7, 'peak objects'),
	(8, 'lost'), (9, 'indirectly lost'), (10, 'reachable');

-- A type of memory with its owners and its call site; all but kind and family are numbers of memory_name.
CREATE TABLE memory_object (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	trial INT NOT NULL,
	type INT,		-- NULL: over all types
	kind INT NOT NULL,
	family INT NOT NULL,
	library INT,
	owner INT,		-- the chain of owners; NULL: over all owners
	site INT,		-- NULL: over all call sites
	FOREIGN KEY (trial) REFERENCES trial (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (type) REFERENCES memory_name (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (library) REFERENCES memory_name (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (owner) REFERENCES memory_name (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (site) REFERENCES memory_name (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (kind) REFERENCES memory_kind (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (family) REFERENCES memory_family (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

-- Bytes and blocks of an object in a window (NULL: the only one of its trial), for each of the threads with this context_rank
-- and thread_rank on the nodes first_node to last_node. live and peak: of the state; alloc, free and retyped: one
-- sample for each block, whose largest, smallest, sum and sum of squares are kept. NULL: it was not counted there.
CREATE TABLE memory_value (
	object INT NOT NULL,
	time_range INT,
	context_rank INT NOT NULL,
	thread_rank INT NOT NULL,
	first_node INT NOT NULL,
	last_node INT NOT NULL,
	live_bytes INT,
	live_blocks INT,
	peak_bytes INT,
	peak_blocks INT,
	alloc_blocks INT,
	alloc_bytes INT,
	alloc_min INT,
	alloc_max INT,
	alloc_squares INT,
	free_blocks INT,
	free_bytes INT,
	free_min INT,
	free_max INT,
	free_squares INT,
	retyped_blocks INT,
	retyped_bytes INT,
	retyped_min INT,
	retyped_max INT,
	retyped_squares INT,
	FOREIGN KEY (object) REFERENCES memory_object (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (time_range) REFERENCES time_range (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE INDEX counter_trial_index ON counter_base (trial);
CREATE INDEX counter_value_index ON counter_value_base (counter, thread);
CREATE INDEX thread_place ON thread (trial, node_rank);
CREATE INDEX memory_object_trial ON memory_object (trial);
CREATE INDEX memory_value_object ON memory_value (object);
CREATE INDEX memory_name_name ON memory_name (name);

-- TAU's counter and counter_value.
CREATE VIEW counter AS
	SELECT c.id, c.trial, CASE WHEN c.object IS NULL THEN c.name ELSE n.name || ' ' || coalesce(t.name, '(all)') ||
		coalesce(' <= ' || w.name, '') || coalesce(' @ ' || s.name, '') END AS name
	FROM counter_base c LEFT JOIN memory_number n ON n.id = c.number LEFT JOIN memory_object o ON o.id = c.object
	LEFT JOIN memory_name t ON t.id = o.type LEFT JOIN memory_name w ON w.id = o.owner
	LEFT JOIN memory_name s ON s.id = o.site;
-- The rows of memory_value by counter: the statistics of the blocks on each of `threads` threads.
CREATE VIEW memory_row AS
	SELECT c.id AS counter, c.trial, m.time_range, m.context_rank, m.thread_rank, m.first_node, m.last_node,
		m.last_node - m.first_node + 1 AS threads,
		CASE c.number WHEN 1 THEN m.alloc_blocks WHEN 2 THEN m.free_blocks WHEN 3 THEN m.retyped_blocks ELSE 1 END AS n,
		CASE c.number WHEN 1 THEN m.alloc_max WHEN 2 THEN m.free_max WHEN 3 THEN m.retyped_max WHEN 4 THEN m.live_bytes
			WHEN 5 THEN m.live_blocks WHEN 6 THEN m.peak_bytes WHEN 7 THEN m.peak_blocks END AS most,
		CASE c.number WHEN 1 THEN m.alloc_min WHEN 2 THEN m.free_min WHEN 3 THEN m.retyped_min WHEN 4 THEN m.live_bytes
			WHEN 5 THEN m.live_blocks WHEN 6 THEN m.peak_bytes WHEN 7 THEN m.peak_blocks END AS least,
		1.0 * CASE c.number WHEN 1 THEN m.alloc_bytes WHEN 2 THEN m.free_bytes WHEN 3 THEN m.retyped_bytes
			WHEN 4 THEN m.live_bytes WHEN 5 THEN m.live_blocks WHEN 6 THEN m.peak_bytes WHEN 7 THEN m.peak_blocks END AS total,
		1.0 * CASE c.number WHEN 1 THEN m.alloc_squares WHEN 2 THEN m.free_squares WHEN 3 THEN m.retyped_squares
			WHEN 4 THEN 1.0 * m.live_bytes * m.live_bytes WHEN 5 THEN 1.0 * m.live_blocks * m.live_blocks
			WHEN 6 THEN 1.0 * m.peak_bytes * m.peak_bytes WHEN 7 THEN 1.0 * m.peak_blocks * m.peak_blocks END AS squares
	FROM counter_base c JOIN memory_value m ON m.object = c.object
	WHERE CASE c.number WHEN 1 THEN m.alloc_blocks WHEN 2 THEN m.free_blocks WHEN 3 THEN m.retyped_blocks WHEN 4 THEN m.live_bytes
		WHEN 5 THEN m.live_blocks WHEN 6 THEN m.peak_bytes WHEN 7 THEN m.peak_blocks END IS NOT NULL;
CREATE VIEW memory_row_mean AS
	SELECT counter, trial, time_range, threads, n, most, least, total, squares, total / n AS mean,
		sqrt(abs(squares / n - (total / n) * (total / n))) AS deviation FROM memory_row;
-- Sums and extremes over threads; all: how many the trial has.
CREATE VIEW memory_sum AS
	SELECT x.counter, x.trial, x.time_range, t.total_threads AS all_threads, sum(threads) AS threads, sum(threads * n) AS n,
		sum(1.0 * threads * most) AS most, sum(1.0 * threads * least) AS least, sum(threads * mean) AS mean,
		sum(threads * deviation) AS deviation, sum(threads * total) AS total, sum(threads * squares) AS squares,
		max(n) AS n_max, max(most) AS most_max, max(least) AS least_max, max(mean) AS mean_max, max(deviation) AS deviation_max,
		min(n) AS n_min, min(most) AS most_min, min(least) AS least_min, min(mean) AS mean_min, min(deviation) AS deviation_min
	FROM memory_row_mean x JOIN trial t ON t.id = x.trial GROUP BY x.counter, x.trial, x.time_range;
-- Standard deviations over threads: -3 over the threads that have a row, -7 over all.
CREATE VIEW memory_deviation AS
	SELECT d.counter, d.thread, d.time_range,
		sqrt(((SELECT sum(x.threads * (x.n - d.n) * (x.n - d.n)) FROM memory_row_mean x WHERE x.counter = d.counter
			AND x.time_range IS d.time_range) + d.missing * d.n * d.n) / d.share) AS n,
		sqrt(((SELECT sum(x.threads * (x.most - d.most) * (x.most - d.most)) FROM memory_row_mean x WHERE x.counter = d.counter
			AND x.time_range IS d.time_range) + d.missing * d.most * d.most) / d.share) AS most,
		sqrt(((SELECT sum(x.threads * (x.least - d.least) * (x.least - d.least)) FROM memory_row_mean x WHERE x.counter = d.counter
			AND x.time_range IS d.time_range) + d.missing * d.least * d.least) / d.share) AS least,
		sqrt(((SELECT sum(x.threads * (x.mean - d.mean) * (x.mean - d.mean)) FROM memory_row_mean x WHERE x.counter = d.counter
			AND x.time_range IS d.time_range) + d.missing * d.mean * d.mean) / d.share) AS mean,
		sqrt(((SELECT sum(x.threads * (x.deviation - d.deviation) * (x.deviation - d.deviation)) FROM memory_row_mean x WHERE x.counter = d.counter
			AND x.time_range IS d.time_range) + d.missing * d.deviation * d.deviation) / d.share) AS deviation
	FROM (SELECT k.counter, t.id AS thread, k.time_range, CASE t.node_rank WHEN -3 THEN k.threads ELSE k.all_threads END AS share,
			CASE t.node_rank WHEN -3 THEN 0 ELSE k.all_threads - k.threads END AS missing,
			1.0 * k.n / CASE t.node_rank WHEN -3 THEN k.threads ELSE k.all_threads END AS n,
			k.most / CASE t.node_rank WHEN -3 THEN k.threads ELSE k.all_threads END AS most,
			k.least / CASE t.node_rank WHEN -3 THEN k.threads ELSE k.all_threads END AS least,
			k.mean / CASE t.node_rank WHEN -3 THEN k.threads ELSE k.all_threads END AS mean,
			k.deviation / CASE t.node_rank WHEN -3 THEN k.threads ELSE k.all_threads END AS deviation
		FROM memory_sum k JOIN thread t ON t.trial = k.trial AND t.node_rank IN (-3, -7)) d;
CREATE VIEW counter_value AS
	SELECT counter, timer_callpath, thread, sample_count, maximum_value, minimum_value, mean_value, standard_deviation,
		sum_of_squares, time_range FROM counter_value_base
	UNION ALL
	SELECT m.counter, NULL, t.id, m.n, 1.0 * m.most, 1.0 * m.least, m.total / m.n,
		sqrt(abs(m.squares / m.n - (m.total / m.n) * (m.total / m.n))), m.squares, m.time_range
	FROM memory_row m JOIN thread t ON t.trial = m.trial AND t.node_rank BETWEEN m.first_node AND m.last_node
		AND t.context_rank = m.context_rank AND t.thread_rank = m.thread_rank
	UNION ALL
	SELECT k.counter, NULL, t.id, 1.0 * k.n / CASE t.node_rank WHEN -1 THEN k.threads WHEN -2 THEN 1 ELSE k.all_threads END,
		CASE t.node_rank WHEN -1 THEN k.most / k.threads WHEN -2 THEN 1.0 * k.most_max ELSE k.most / k.all_threads END,
		CASE t.node_rank WHEN -1 THEN k.least / k.threads WHEN -2 THEN 1.0 * k.least_min ELSE k.least / k.all_threads END,
		k.total / k.n, sqrt(abs(k.squares / k.n - (k.total / k.n) * (k.total / k.n))),
		k.squares / CASE t.node_rank WHEN -1 THEN k.threads WHEN -2 THEN 1 ELSE k.all_threads END, k.time_range
	FROM memory_sum k JOIN thread t ON t.trial = k.trial AND t.node_rank IN (-1, -2, -6)
	UNION ALL
	SELECT k.counter, NULL, t.id, k.n_min, 1.0 * k.most_min, 1.0 * k.least_min, k.mean_min, k.deviation_min,
		k.n_min * (k.deviation_min * k.deviation_min + k.mean_min * k.mean_min), k.time_range
	FROM memory_sum k JOIN thread t ON t.trial = k.trial AND t.node_rank = -4
	UNION ALL
	SELECT k.counter, NULL, t.id, k.n_max, 1.0 * k.most_max, 1.0 * k.least_max, k.mean_max, k.deviation_max,
		k.n_max * (k.deviation_max * k.deviation_max + k.mean_max * k.mean_max), k.time_range
	FROM memory_sum k JOIN thread t ON t.trial = k.trial AND t.node_rank = -5
	UNION ALL
	SELECT counter, NULL, thread, n, most, least, mean, CASE WHEN n > 0 THEN deviation ELSE 0.0 END,
		n * (deviation * deviation + mean * mean), time_range FROM memory_deviation;
-- The same numbers as they are kept, for each thread.
CREATE VIEW memory_by_thread AS
	SELECT o.trial, r.name AS window, m.time_range, t.node_rank, t.context_rank, t.thread_rank, coalesce(ty.name, '(all)') AS type,
		k.name AS kind, f.name AS family, l.name AS library, w.name AS owner, s.name AS site, m.live_bytes, m.live_blocks,
		m.peak_bytes, m.peak_blocks, m.alloc_bytes, m.alloc_blocks, m.free_bytes, m.free_blocks, m.retyped_bytes, m.retyped_blocks
	FROM memory_object o JOIN memory_value m ON m.object = o.id
	JOIN thread t ON t.trial = o.trial AND t.node_rank BETWEEN m.first_node AND m.last_node
		AND t.context_rank = m.context_rank AND t.thread_rank = m.thread_rank
	LEFT JOIN memory_name ty ON ty.id = o.type LEFT JOIN memory_name w ON w.id = o.owner LEFT JOIN memory_name s ON s.id = o.site
	LEFT JOIN memory_name l ON l.id = o.library LEFT JOIN memory_kind k ON k.id = o.kind
	LEFT JOIN memory_family f ON f.id = o.family LEFT JOIN time_range r ON r.id = m.time_range;
