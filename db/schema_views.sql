-- Views: see taudb(5). Runs after the tables are made, and when a database of an earlier version gets what it lacks. main: without
-- it, a merge would drop the views of the other database.

-- TAU's counter and counter_value.
DROP VIEW IF EXISTS main.counter;
CREATE VIEW counter AS
	SELECT c.id, c.trial, CASE WHEN c.object IS NULL THEN c.name ELSE n.name || ' ' || coalesce(t.name, '(all)') ||
		coalesce(' <= ' || w.name, '') || coalesce(' @ ' || s.name, '') END AS name
	FROM counter_base c LEFT JOIN memory_number n ON n.id = c.number LEFT JOIN memory_object o ON o.id = c.object
	LEFT JOIN memory_name t ON t.id = o.type LEFT JOIN memory_name w ON w.id = o.owner
	LEFT JOIN memory_name s ON s.id = o.site;
-- The rows of memory_value and message_value by counter: the statistics of the blocks or messages on each of `threads` threads.
DROP VIEW IF EXISTS main.memory_row;
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
		WHEN 5 THEN m.live_blocks WHEN 6 THEN m.peak_bytes WHEN 7 THEN m.peak_blocks END IS NOT NULL
	UNION ALL
	SELECT p.counter, p.trial, v.time_range, v.context_rank, v.thread_rank, v.first_node, v.last_node,
		v.last_node - v.first_node + 1, v.messages, v.largest, v.smallest, 1.0 * v.bytes, 1.0 * v.squares
	FROM message_peer p JOIN message_value v ON v.message_peer = p.id;
DROP VIEW IF EXISTS main.memory_row_mean;
CREATE VIEW memory_row_mean AS
	SELECT counter, trial, time_range, threads, n, most, least, total, squares, total / n AS mean,
		sqrt(abs(squares / n - (total / n) * (total / n))) AS deviation FROM memory_row;
-- Sums and extremes over threads; all: how many the trial has, without queues of devices and what has values only. The index has few rows.
CREATE INDEX IF NOT EXISTS main.thread_no_thread ON thread (trial) WHERE waiting > 1;
DROP VIEW IF EXISTS main.memory_sum;
CREATE VIEW memory_sum AS
	SELECT x.counter, x.trial, x.time_range, t.total_threads - (SELECT count(*) FROM thread h WHERE h.trial = t.id AND h.waiting > 1) AS all_threads, sum(threads) AS threads, sum(threads * n) AS n,
		sum(1.0 * threads * most) AS most, sum(1.0 * threads * least) AS least, sum(threads * mean) AS mean,
		sum(threads * deviation) AS deviation, sum(threads * total) AS total, sum(threads * squares) AS squares,
		max(n) AS n_max, max(most) AS most_max, max(least) AS least_max, max(mean) AS mean_max, max(deviation) AS deviation_max,
		min(n) AS n_min, min(most) AS most_min, min(least) AS least_min, min(mean) AS mean_min, min(deviation) AS deviation_min
	FROM memory_row_mean x JOIN trial t ON t.id = x.trial GROUP BY x.counter, x.trial, x.time_range;
-- Standard deviations over threads: -3 over the threads that have a row, -7 over all.
DROP VIEW IF EXISTS main.memory_deviation;
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
DROP VIEW IF EXISTS main.counter_value;
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
DROP VIEW IF EXISTS main.memory_by_thread;
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
-- Messages by sender and receiver, for each thread that recorded them. size_class: NULL for all sizes.
DROP VIEW IF EXISTS main.message_by_pair;
CREATE VIEW message_by_pair AS
	SELECT p.trial, r.name AS window, v.time_range, k.name AS kind, CASE WHEN p.kind IN (1, 3) THEN p.peer ELSE t.node_rank END AS sender,
		CASE WHEN p.kind IN (1, 3) THEN t.node_rank ELSE p.peer END AS receiver, t.node_rank, t.context_rank, t.thread_rank,
		p.size_class, v.messages, v.bytes, v.smallest, v.largest
	FROM message_peer p JOIN message_value v ON v.message_peer = p.id JOIN message_kind k ON k.id = p.kind
	JOIN thread t ON t.trial = p.trial AND t.node_rank BETWEEN v.first_node AND v.last_node
		AND t.context_rank = v.context_rank AND t.thread_rank = v.thread_rank
	LEFT JOIN time_range r ON r.id = v.time_range;

-- TAU's timer_value. A percentage that is not stored is computed as it would be stored. Who writes to the view writes to the table.
DROP VIEW IF EXISTS main.timer_value;
CREATE VIEW timer_value AS
	SELECT v.timer_call_data, v.metric, v.inclusive_value, v.exclusive_value,
		coalesce(v.inclusive_percent, 100.0 * v.inclusive_value / (SELECT s.largest FROM timer_call_data d
			CROSS JOIN thread_sum s ON s.thread = d.thread AND s.metric = v.metric AND s.time_range IS d.time_range
			WHERE d.id = v.timer_call_data)) AS inclusive_percent,
		coalesce(v.exclusive_percent, 100.0 * v.exclusive_value / (SELECT s.largest FROM timer_call_data d
			CROSS JOIN thread_sum s ON s.thread = d.thread AND s.metric = v.metric AND s.time_range IS d.time_range
			WHERE d.id = v.timer_call_data)) AS exclusive_percent,
		v.sum_exclusive_squared
	FROM timer_value_base v;
CREATE TRIGGER timer_value_insert INSTEAD OF INSERT ON timer_value BEGIN
	INSERT INTO timer_value_base (timer_call_data, metric, inclusive_value, exclusive_value, inclusive_percent, exclusive_percent,
		sum_exclusive_squared)
	VALUES (NEW.timer_call_data, NEW.metric, NEW.inclusive_value, NEW.exclusive_value, NEW.inclusive_percent, NEW.exclusive_percent,
		NEW.sum_exclusive_squared);
END;
CREATE TRIGGER timer_value_update INSTEAD OF UPDATE ON timer_value BEGIN
	UPDATE timer_value_base SET timer_call_data = NEW.timer_call_data, metric = NEW.metric, inclusive_value = NEW.inclusive_value,
		exclusive_value = NEW.exclusive_value, inclusive_percent = NEW.inclusive_percent,
		exclusive_percent = NEW.exclusive_percent, sum_exclusive_squared = NEW.sum_exclusive_squared
	WHERE timer_call_data = OLD.timer_call_data AND metric = OLD.metric;
END;
CREATE TRIGGER timer_value_delete INSTEAD OF DELETE ON timer_value BEGIN
	DELETE FROM timer_value_base WHERE timer_call_data = OLD.timer_call_data AND metric = OLD.metric;
END;
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
