-- TauDB, schema version 2, for SQLite: see taudb(5). Table and column names are TAU's; what is added to them says
-- "added" and may be missing (or NULL) in databases that TAU has written.

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
	FOREIGN KEY (data_source) REFERENCES data_source (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE thread (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	trial INT NOT NULL,
	node_rank INT NOT NULL,
	context_rank INT NOT NULL,
	thread_rank INT NOT NULL,
	thread_index INT NOT NULL,
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

-- One row for each window of a trial. start and end: microseconds since the start of the run for type 1.
CREATE TABLE time_range (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	type INT NOT NULL,
	start INT NOT NULL,
	end INT,
	trial INT,		-- added
	name VARCHAR,		-- added: the text of the window, such as '10%:250ms'
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

CREATE TABLE timer_value (
	timer_call_data INT NOT NULL,
	metric INT NOT NULL,
	inclusive_value DOUBLE PRECISION,
	exclusive_value DOUBLE PRECISION,
	inclusive_percent DOUBLE PRECISION,
	exclusive_percent DOUBLE PRECISION,
	sum_exclusive_squared DOUBLE PRECISION,
	FOREIGN KEY (timer_call_data) REFERENCES timer_call_data (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (metric) REFERENCES metric (id) ON DELETE NO ACTION ON UPDATE NO ACTION
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
CREATE INDEX timer_value_index ON timer_value (timer_call_data, metric);
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

-- TAU's views for PerfExplorer, which it has for other databases only (written so that old SQLite opens them). Rows of several windows stand side by side.
CREATE VIEW interval_event AS
	SELECT tcp.id, t.trial, t.name, tg.group_name, t.source_file, t.line_number,
		t.line_number_end
	FROM timer_callpath tcp INNER JOIN timer t ON tcp.timer = t.id LEFT OUTER JOIN timer_group tg ON tg.timer = t.id;
CREATE VIEW interval_event_value AS
	SELECT tcd.timer_callpath AS interval_event, t.node_rank AS node,
		t.context_rank AS context, t.thread_rank AS thread, tv.metric,
		tv.inclusive_percent AS inclusive_percentage, tv.inclusive_value AS inclusive,
		tv.exclusive_percent AS exclusive_percentage, tv.exclusive_value AS exclusive,
		tcd.calls AS call, tcd.subroutines, tv.inclusive_value / tcd.calls AS inclusive_per_call,
		tv.sum_exclusive_squared
	FROM timer_value tv INNER JOIN timer_call_data tcd ON tv.timer_call_data = tcd.id
	INNER JOIN thread t ON tcd.thread = t.id;
CREATE VIEW interval_location_profile AS SELECT * FROM interval_event_value WHERE thread >= 0;
CREATE VIEW interval_total_summary AS SELECT * FROM interval_event_value WHERE thread = -2;
CREATE VIEW interval_mean_summary AS SELECT * FROM interval_event_value WHERE thread = -1;
-- Added: time_range in the shape that TAU's schema for other databases gives it.
CREATE VIEW time_range_iteration AS
	SELECT r.id, CASE r.type WHEN 2 THEN r.start END AS iteration_start,
		CASE r.type WHEN 2 THEN r.end END AS iteration_end,
		CASE r.type WHEN 1 THEN r.start END AS time_start,
		CASE r.type WHEN 1 THEN r.end END AS time_end
	FROM time_range r;
