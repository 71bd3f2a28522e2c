-- TauDB, schema version 2, for SQLite: see taudb(5). Table and column names are TAU's; what is added to them has the
-- comment "added" and may be missing (or NULL) in databases that TAU has written.

CREATE TABLE schema_version (
	version INT NOT NULL,
	description VARCHAR NOT NULL
);
INSERT INTO schema_version VALUES (2, 'TauDB schema, after November 9, 2012');

CREATE TABLE data_source (
	id INT UNIQUE NOT NULL,
	name VARCHAR NOT NULL,
	description VARCHAR
);
INSERT INTO data_source (id, name, description) VALUES
	(0, 'ppk', 'TAU Packed profiles (TAU)'),
	(1, 'TAU profiles', 'TAU profiles (TAU)'),
	(2, 'DynaProf', 'PAPI DynaProf profiles (UTK)'),
	(3, 'mpiP', 'mpiP: Lightweight, Scalable MPI Profiling (Vetter, Chambreau)'),
	(4, 'HPM', 'HPM Toolkit profiles (IBM)'),
	(5, 'gprof', 'gprof profiles (GNU)'),
	(6, 'psrun', 'PerfSuite psrun profiles (NCSA)'),
	(7, 'pprof', 'TAU pprof.dat output (TAU)'),
	(8, 'Cube', 'Cube data (FZJ)'),
	(9, 'HPCToolkit', 'HPC Toolkit profiles (Rice Univ.)'),
	(10, 'SNAP', 'TAU Snapshot profiles (TAU)'),
	(11, 'OMPP', 'OpenMP Profiler profiles (Fuerlinger)'),
	(12, 'PERIXML', 'Data Exchange Format (PERI)'),
	(13, 'GPTL', 'General Purpose Timing Library (ORNL)'),
	(14, 'Paraver', 'Paraver profiles (BSC)'),
	(15, 'IPM', 'Integrated Performance Monitoring (NERSC)'),
	(16, 'Google', 'Google profiles (Google)'),
	(17, 'Cube3', 'Cube 3D profiles (FZJ)'),
	(100, 'Gyro', 'Self-timing profiles from Gyro application'),
	(101, 'GAMESS', 'Self-timing profiles from GAMESS application'),
	(999, 'Other', 'Other profiles');

CREATE TABLE derived_thread_type (
	id INT NOT NULL,
	name VARCHAR NOT NULL,
	description VARCHAR NOT NULL
);
INSERT INTO derived_thread_type (id, name, description) VALUES
	(-1, 'MEAN', 'MEAN (nulls ignored)'),
	(-2, 'TOTAL', 'TOTAL'),
	(-3, 'STDDEV', 'STDDEV (nulls ignored)'),
	(-4, 'MIN', 'MIN'),
	(-5, 'MAX', 'MAX'),
	(-6, 'MEAN', 'MEAN (nulls are 0 value)'),
	(-7, 'STDDEV', 'STDDEV (nulls are 0 value)');

CREATE TABLE trial (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name VARCHAR,
	data_source INT,
	node_count INT,
	contexts_per_node INT,
	threads_per_context INT,
	total_threads INT,
	content VARCHAR,	-- added: a hash of all names, values and metadata
	source_path VARCHAR,	-- added: where the run was when it was stored, and on which host
	source_host VARCHAR,
	stored_by VARCHAR,	-- added: the program and its version
	stored_command VARCHAR,	-- added: its command line, and the options in it
	stored_options VARCHAR,
	FOREIGN KEY (data_source) REFERENCES data_source (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE thread (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	trial INT NOT NULL,
	node_rank INT NOT NULL,
	context_rank INT NOT NULL,
	thread_rank INT NOT NULL,
	thread_index INT NOT NULL,
	waiting INT,		-- added: 1 if it mostly waits, and only what it did counts; 2: a queue of a device; 3: values of counters only; else 0
	FOREIGN KEY (trial) REFERENCES trial (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE metric (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	trial INT NOT NULL,
	name VARCHAR NOT NULL,
	derived BOOLEAN NOT NULL DEFAULT FALSE,
	FOREIGN KEY (trial) REFERENCES trial (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE timer (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	trial INT NOT NULL,
	name VARCHAR NOT NULL,
	short_name VARCHAR NOT NULL,
	source_file VARCHAR,
	line_number INT,
	line_number_end INT,
	column_number INT,
	column_number_end INT,
	FOREIGN KEY (trial) REFERENCES trial (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE timer_group (
	timer INT,
	group_name VARCHAR NOT NULL,
	FOREIGN KEY (timer) REFERENCES timer (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE timer_parameter (
	timer INT,
	parameter_name VARCHAR NOT NULL,
	parameter_value VARCHAR NOT NULL,
	FOREIGN KEY (timer) REFERENCES timer (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE timer_callpath (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	timer INT NOT NULL,
	parent INT,
	FOREIGN KEY (timer) REFERENCES timer (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (parent) REFERENCES timer_callpath (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE time_range_type (
	id INT NOT NULL PRIMARY KEY,
	name VARCHAR NOT NULL
);
INSERT INTO time_range_type (id, name) VALUES (1, 'TIMESTAMP'), (2, 'ITERATION NUMBER'), (3, 'CALL NUMBER');

-- One row for each window of a trial. start and end: microseconds since the start of the run for type 1, rounded.
CREATE TABLE time_range (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	type INT NOT NULL,
	start INT NOT NULL,
	end INT,
	trial INT,		-- added
	name VARCHAR,		-- added: the text of the window, such as '10%:250ms'
	overlapping INT,	-- added: 1 if it overlaps an earlier window that has 0 here; else 0
	exact_start DOUBLE PRECISION,	-- added: start and end with their fractions; NULL: they have none
	exact_end DOUBLE PRECISION,
	FOREIGN KEY (type) REFERENCES time_range_type (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE timer_call_data (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	timer_callpath INT NOT NULL,
	thread INT NOT NULL,
	calls INT,
	subroutines INT,
	time_range INT,
	FOREIGN KEY (timer_callpath) REFERENCES timer_callpath (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (thread) REFERENCES thread (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (time_range) REFERENCES time_range (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE primary_metadata (
	trial INT NOT NULL,
	name VARCHAR NOT NULL,
	value VARCHAR,
	thread INT,		-- added: the thread whose value is repeated here; NULL: of the trial itself
	FOREIGN KEY (trial) REFERENCES trial (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE secondary_metadata (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	trial INT NOT NULL,
	thread INT,
	timer_call_data INT,
	call_number INT,
	time_range INT,
	parent INT,
	name VARCHAR NOT NULL,
	value VARCHAR,
	is_array BOOLEAN DEFAULT FALSE,
	FOREIGN KEY (trial) REFERENCES trial (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (thread) REFERENCES thread (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (timer_call_data) REFERENCES timer_call_data (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (parent) REFERENCES secondary_metadata (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (time_range) REFERENCES time_range (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE taudb_view (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	parent INTEGER NULL,
	name VARCHAR NOT NULL,
	conjoin VARCHAR NOT NULL,
	FOREIGN KEY (parent) REFERENCES taudb_view (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE taudb_view_parameter (
	taudb_view INTEGER NOT NULL,
	table_name VARCHAR NOT NULL,
	column_name VARCHAR NOT NULL,
	operator VARCHAR NOT NULL,
	value VARCHAR NOT NULL,
	FOREIGN KEY (taudb_view) REFERENCES taudb_view (id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO taudb_view (id, parent, name, conjoin) VALUES (1, NULL, 'All Trials', 'and');
INSERT INTO taudb_view_parameter VALUES (1, 'trial', 'total_threads', '>', '-1');

CREATE INDEX timer_trial_index ON timer (trial, name);
CREATE INDEX timer_group_index ON timer_group (timer, group_name);
CREATE INDEX primary_metadata_index ON primary_metadata (trial, name);
CREATE INDEX secondary_metadata_index ON secondary_metadata (trial, name, thread, parent);
-- Of TAU's schema for other databases: a trial's parts are found by these.
CREATE INDEX timer_callpath_parent ON timer_callpath (parent);
CREATE INDEX thread_trial ON thread (trial);
CREATE INDEX timer_call_data_timer_callpath ON timer_call_data (timer_callpath);
CREATE INDEX timer_call_data_thread ON timer_call_data (thread);
-- Added.
CREATE INDEX timer_callpath_timer ON timer_callpath (timer);
CREATE INDEX timer_parameter_timer ON timer_parameter (timer);
CREATE INDEX metric_trial ON metric (trial);
CREATE INDEX time_range_trial ON time_range (trial);
