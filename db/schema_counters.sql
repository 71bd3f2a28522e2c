-- Tables of counters and of memory by type: see taudb(5). Runs after schema.sql in a new database, and in one whose counters are TAU's tables
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
