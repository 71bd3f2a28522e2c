-- Views: see taudb(5). Runs after the tables are made, and when a database of an earlier version gets what it lacks. main: without
-- it, a merge would drop the views of the other database.

-- TAU's views for PerfExplorer, which it has for other databases only (written so that old SQLite opens them). Rows of several
-- windows follow each other; those of windows that overlap an earlier one are excluded.
DROP VIEW IF EXISTS main.interval_event;
CREATE VIEW interval_event AS
	SELECT tcp.id, t.trial, t.name, tg.group_name, t.source_file, t.line_number,
		t.line_number_end
	FROM timer_callpath tcp INNER JOIN timer t ON tcp.timer = t.id LEFT OUTER JOIN timer_group tg ON tg.timer = t.id;
DROP VIEW IF EXISTS main.interval_event_value;
CREATE VIEW interval_event_value AS
	SELECT tcd.timer_callpath AS interval_event, t.node_rank AS node,
		t.context_rank AS context, t.thread_rank AS thread, tv.metric,
		tv.inclusive_percent AS inclusive_percentage, tv.inclusive_value AS inclusive,
		tv.exclusive_percent AS exclusive_percentage, tv.exclusive_value AS exclusive,
		tcd.calls AS call, tcd.subroutines, tv.inclusive_value / tcd.calls AS inclusive_per_call,
		tv.sum_exclusive_squared
	FROM timer_value tv INNER JOIN timer_call_data tcd ON tv.timer_call_data = tcd.id
	INNER JOIN thread t ON tcd.thread = t.id
	WHERE tcd.time_range IS NULL OR tcd.time_range IN (SELECT id FROM time_range WHERE overlapping IS NOT 1);
DROP VIEW IF EXISTS main.interval_location_profile;
CREATE VIEW interval_location_profile AS SELECT * FROM interval_event_value WHERE thread >= 0;
DROP VIEW IF EXISTS main.interval_total_summary;
CREATE VIEW interval_total_summary AS SELECT * FROM interval_event_value WHERE thread = -2;
DROP VIEW IF EXISTS main.interval_mean_summary;
CREATE VIEW interval_mean_summary AS SELECT * FROM interval_event_value WHERE thread = -1;
-- Added: time_range in the shape that TAU's schema for other databases gives it.
DROP VIEW IF EXISTS main.time_range_iteration;
CREATE VIEW time_range_iteration AS
	SELECT r.id, CASE r.type WHEN 2 THEN r.start END AS iteration_start,
		CASE r.type WHEN 2 THEN r.end END AS iteration_end,
		CASE r.type WHEN 1 THEN r.start END AS time_start,
		CASE r.type WHEN 1 THEN r.end END AS time_end
	FROM time_range r;
DROP VIEW IF EXISTS main.atomic_event;
CREATE VIEW atomic_event AS
	SELECT c.id, c.trial, c.name, NULL AS group_name, NULL AS source_file, NULL AS line_number
	FROM counter c;
DROP VIEW IF EXISTS main.atomic_event_value;
CREATE VIEW atomic_event_value AS
	SELECT cv.counter AS atomic_event, t.node_rank AS node, t.context_rank AS context,
		t.thread_rank AS thread, cv.sample_count, cv.maximum_value, cv.minimum_value,
		cv.mean_value, cv.standard_deviation
	FROM counter_value cv INNER JOIN thread t ON cv.thread = t.id
	WHERE cv.time_range IS NULL OR cv.time_range IN (SELECT id FROM time_range WHERE overlapping IS NOT 1);
DROP VIEW IF EXISTS main.atomic_location_profile;
CREATE VIEW atomic_location_profile AS SELECT * FROM atomic_event_value WHERE thread >= 0;
DROP VIEW IF EXISTS main.atomic_total_summary;
CREATE VIEW atomic_total_summary AS SELECT * FROM atomic_event_value WHERE thread = -2;
DROP VIEW IF EXISTS main.atomic_mean_summary;
CREATE VIEW atomic_mean_summary AS SELECT * FROM atomic_event_value WHERE thread = -1;
-- Added: values of timers on each thread, without derived threads, call paths, samples and windows that overlap others: sums over
-- its rows count everything once.
DROP VIEW IF EXISTS main.flat_profile;
CREATE VIEW flat_profile AS
	SELECT t.trial, r.name AS window, t.node_rank, t.context_rank, t.thread_rank, m.name AS metric, i.name AS timer,
		d.calls, d.subroutines, v.inclusive_value AS inclusive, v.exclusive_value AS exclusive
	FROM thread t INNER JOIN timer_call_data d ON d.thread = t.id
	INNER JOIN timer_callpath p ON p.id = d.timer_callpath AND p.parent IS NULL
	INNER JOIN timer i ON i.id = p.timer INNER JOIN timer_value v ON v.timer_call_data = d.id
	INNER JOIN metric m ON m.id = v.metric LEFT OUTER JOIN time_range r ON r.id = d.time_range
	WHERE t.node_rank >= 0 AND coalesce(r.overlapping, 0) = 0
	AND NOT EXISTS (SELECT 1 FROM timer_group g WHERE g.timer = i.id
		AND g.group_name IN ('TAU_SAMPLE', 'TAU_SAMPLE_CONTEXT', 'TAU_UNWIND'));
