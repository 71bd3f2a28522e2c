-- queries.sql: the queries that have a name: the question, the parameters and the SQL of each. queries.awk makes the table of
-- tau-db and the manual page tau-queries(7) from it and from queries_counters.sql.
--
-- "-- part: NAME" begins SQL that several queries share; queries.awk replaces @NAME by it.
-- "-- query: NAME" begins a query; "-- ?" its question; "-- :NAME TYPE ABOUT" a parameter (trial, number, text or pattern;
-- with "!": required), NULL if it is not set. "-- needs: WHAT": what a trial without rows may lack (enum db_need of query.h).

-- :trials is what --where selects, as ',1,2,'; it is no parameter of the command line.

-- Timers and counters are selected by name. A name that exists selects exactly that one; otherwise % matches any text. Case counts.

-- CROSS JOIN makes SQLite visit the tables in this order: from a trial to its threads to their rows, by the indexes.

-- part: chosen
chosen AS (SELECT coalesce(:trial, max(id)) AS trial FROM trial),

-- part: span
span AS (SELECT (SELECT r.id FROM time_range r WHERE r.trial = c.trial
  ORDER BY r.id LIMIT 1 OFFSET coalesce(:window, 0)) AS id FROM chosen c),

-- part: unit
unit AS (SELECT m.id FROM metric m JOIN chosen c ON m.trial = c.trial
  WHERE :metric IS NULL OR m.name = :metric ORDER BY m.id LIMIT 1),

-- part: samples
FROM timer_group g
    WHERE g.group_name IN ('TAU_SAMPLE', 'TAU_SAMPLE_CONTEXT', 'TAU_UNWIND') AND g.timer =

-- part: derived
flat AS (SELECT h.thread_index AS place, h.node_rank AS pe, h.thread_rank AS thread, t.id AS timer,
    t.name, d.calls, d.subroutines, v.inclusive_value AS inclusive, v.exclusive_value AS exclusive
  FROM chosen c CROSS JOIN thread h ON h.trial = c.trial AND h.thread_index < 0
  CROSS JOIN timer_call_data d ON d.thread = h.id AND d.time_range IS (SELECT id FROM span)
  CROSS JOIN timer_callpath p ON p.id = d.timer_callpath AND p.parent IS NULL
  CROSS JOIN timer t ON t.id = p.timer
  CROSS JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = (SELECT id FROM unit)
  WHERE NOT EXISTS (SELECT 1 @samples t.id))

-- The call paths that are single timers, without those of samples: found once, not for each row.
-- part: counted
counted AS MATERIALIZED (SELECT p.id, t.id AS timer, t.name
  FROM timer t CROSS JOIN timer_callpath p ON p.timer = t.id AND p.parent IS NULL
  WHERE t.trial = (SELECT trial FROM chosen) AND NOT EXISTS (SELECT 1 @samples t.id)),

-- The waiting of threads that mostly wait is excluded, as from the derived threads; their other timers have rows, with waits = 1.
-- Rows come by PE: groups of them need no sorting.
-- read: the trial; no row: nothing is read.
-- part: threads
-- idle: what a thread does that mostly waits.
idle AS (SELECT id FROM counted WHERE name = '.TAU application' OR name GLOB 'addr=<*> [[]*.so*'),
flat AS (SELECT h.id AS place, h.node_rank AS pe, h.thread_rank AS thread, d.timer_callpath AS path,
    v.exclusive_value AS exclusive, coalesce(h.waiting, 0) AS waits
  FROM thread h CROSS JOIN timer_call_data d ON d.thread = h.id AND d.time_range IS (SELECT id FROM span)
    AND d.timer_callpath IN (SELECT id FROM counted)
  CROSS JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = (SELECT id FROM unit)
  WHERE h.trial = (SELECT trial FROM read) AND h.node_rank >= 0 AND coalesce(h.waiting, 0) <= 1
    AND (coalesce(h.waiting, 0) = 0 OR d.timer_callpath NOT IN (SELECT id FROM idle)))

-- part: paths
paths AS (SELECT h.thread_index AS place, p.id, p.parent, t.name, d.calls,
    v.inclusive_value AS inclusive, v.exclusive_value AS exclusive
  FROM chosen c CROSS JOIN thread h ON h.trial = c.trial AND h.thread_index < 0
  CROSS JOIN timer_call_data d ON d.thread = h.id AND d.time_range IS (SELECT id FROM span)
  CROSS JOIN timer_callpath p ON p.id = d.timer_callpath AND p.parent IS NOT NULL
  CROSS JOIN timer t ON t.id = p.timer
  CROSS JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = (SELECT id FROM unit)
  WHERE NOT EXISTS (SELECT 1 @samples t.id))

-- The calls of :timer and its calls to others, by call path. A path that contains the same call before is part of that call's
-- inclusive value: nested.
-- part: edges
edges AS (SELECT s.id, s.parent, p.timer AS caller, q.timer AS callee, u.name AS caller_name,
    s.name AS callee_name, s.calls, s.exclusive, s.inclusive
  FROM paths s JOIN timer_callpath q ON q.id = s.id JOIN timer_callpath p ON p.id = s.parent
  JOIN timer u ON u.id = p.timer
  WHERE s.place = -2 AND (u.name = :timer OR s.name = :timer)),
walk (id, caller, callee, at) AS (SELECT id, caller, callee, parent FROM edges
  UNION ALL SELECT w.id, w.caller, w.callee, p.parent FROM walk w
  JOIN timer_callpath p ON p.id = w.at WHERE p.parent IS NOT NULL),
nested AS (SELECT DISTINCT w.id FROM walk w JOIN timer_callpath q ON q.id = w.at AND q.timer = w.callee
  JOIN timer_callpath p ON p.id = q.parent AND p.timer = w.caller)

-- part: timers
wanted AS (SELECT CASE WHEN instr(:timer, '%') AND EXISTS (SELECT 1 FROM timer WHERE name = :timer) THEN x
    ELSE replace(x, '%', '*') END AS pattern
  FROM (SELECT replace(replace(replace(:timer, '[', '[[]'), '*', '[*]'), '?', '[?]') AS x))

-- part: counters
wanted AS (SELECT CASE WHEN instr(:counter, '%') AND EXISTS (SELECT 1 FROM counter WHERE name = :counter) THEN x
    ELSE replace(x, '%', '*') END AS pattern
  FROM (SELECT replace(replace(replace(:counter, '[', '[[]'), '*', '[*]'), '?', '[?]') AS x))

-- part: everywhere
firsts AS (SELECT t.id AS trial, t.name AS trial_name, t.node_count AS pes,
    (SELECT min(r.id) FROM time_range r WHERE r.trial = t.id) AS span,
    (SELECT min(m.id) FROM metric m WHERE m.trial = t.id
      AND m.name = coalesce(:metric, m.name)) AS unit
  FROM trial t WHERE (:trials IS NULL OR instr(:trials, ',' || t.id || ','))
    AND (:application IS NULL OR EXISTS (SELECT 1 FROM primary_metadata a
      WHERE a.trial = t.id AND a.name = 'Application' AND a.value = :application))),

-- part: totals
totals AS (SELECT f.trial, f.trial_name, f.pes, h.thread_index AS place, t.id AS timer, t.name,
    d.calls, v.inclusive_value AS inclusive, v.exclusive_value AS exclusive
  FROM firsts f CROSS JOIN thread h ON h.trial = f.trial AND h.thread_index < 0
  CROSS JOIN timer_call_data d ON d.thread = h.id AND d.time_range IS f.span
  CROSS JOIN timer_callpath p ON p.id = d.timer_callpath AND p.parent IS NULL
  CROSS JOIN timer t ON t.id = p.timer
  CROSS JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = f.unit
  WHERE NOT EXISTS (SELECT 1 @samples t.id))

-- query: trials
-- ? Which trials are there, and how long did each run?
-- columns: id name application pes threads longest_inclusive
-- :application text only trials of this application
SELECT t.id, t.name, a.value AS application, t.node_count AS pes,
  t.total_threads - (SELECT count(*) FROM thread h WHERE h.trial = t.id AND h.waiting > 1) AS threads,
  (SELECT max(v.inclusive_value) FROM thread h JOIN timer_call_data d ON d.thread = h.id
    JOIN timer_callpath p ON p.id = d.timer_callpath JOIN timer_value v ON v.timer_call_data = d.id
    WHERE h.trial = t.id AND h.thread_index = -5 AND v.metric = (SELECT min(m.id) FROM metric m
      WHERE m.trial = t.id)
    AND NOT EXISTS (SELECT 1 @samples p.timer)) AS longest_inclusive
FROM trial t LEFT JOIN primary_metadata a ON a.trial = t.id AND a.name = 'Application'
WHERE (:application IS NULL OR a.value = :application)
  AND (:trials IS NULL OR instr(:trials, ',' || t.id || ','))
ORDER BY t.id;

-- query: hot-timers
-- ? Which timers have the largest exclusive time?
-- columns: timer calls exclusive share inclusive largest_exclusive
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
-- :top number rows (default: 10; 0: all)
WITH
@chosen
@span
@unit
@derived,
timers AS (SELECT name, max(calls) FILTER (WHERE place = -2) AS calls,
    max(exclusive) FILTER (WHERE place = -2) AS exclusive, max(inclusive) FILTER (WHERE place = -2) AS inclusive,
    max(exclusive) FILTER (WHERE place = -5) AS largest_exclusive
  FROM flat WHERE place IN (-2, -5) GROUP BY timer HAVING count(*) = 2)
SELECT name AS timer, calls, exclusive, 100.0 * exclusive / sum(exclusive) OVER () AS share, inclusive, largest_exclusive
FROM timers
ORDER BY exclusive DESC, name LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END;

-- query: hot-paths
-- ? Which call paths have the largest exclusive time?
-- columns: path calls exclusive inclusive
-- needs: callpaths
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
-- :top number rows (default: 10; 0: all)
WITH RECURSIVE
@chosen
@span
@unit
@paths,
top AS (SELECT * FROM paths WHERE place = -2 ORDER BY exclusive DESC, id LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END),
named (id, next, path) AS (SELECT id, parent, name FROM top
  UNION ALL SELECT n.id, p.parent, t.name || ' => ' || n.path
  FROM named n JOIN timer_callpath p ON p.id = n.next JOIN timer t ON t.id = p.timer)
SELECT n.path, p.calls, p.exclusive, p.inclusive
FROM named n JOIN top p ON p.id = n.id
WHERE n.next IS NULL
ORDER BY p.exclusive DESC, n.path;

-- query: groups
-- ? How is the time divided among groups of timers?
-- columns: groups timers calls exclusive share
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
WITH
@chosen
@span
@unit
@derived
SELECT coalesce((SELECT group_concat(g.group_name, '|') FROM timer_group g WHERE g.timer = s.timer),
    '(none)') AS groups, count(*) AS timers, sum(s.calls) AS calls, sum(s.exclusive) AS exclusive,
  100.0 * sum(s.exclusive) / sum(sum(s.exclusive)) OVER () AS share
FROM flat s WHERE s.place = -2
GROUP BY 1 ORDER BY exclusive DESC, 1;

-- query: imbalance
-- ? Which timers differ most between threads?
-- columns: timer mean largest smallest largest_by_mean excess
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
-- :top number rows (default: 10; 0: all)
WITH
@chosen
@span
@unit
@counted
-- A timer is compared over the threads whose number has it in any process: one that lacks it counts as 0.
numbers AS MATERIALIZED (SELECT h.thread_rank AS thread, count(*) AS n, max(h.waiting IS NULL) AS older
  FROM chosen c JOIN thread h ON h.trial = c.trial
  WHERE h.node_rank >= 0 AND coalesce(h.waiting, 0) = 0 GROUP BY h.thread_rank),
-- The derived threads have these numbers already, if all threads have the number 0. (They lack them if a value is unknown, and in
-- a trial that an older version or TAU has stored.) alone: the number of threads.
unknown AS (SELECT 1 FROM thread h CROSS JOIN timer_call_data d ON d.thread = h.id AND d.time_range IS (SELECT id FROM span)
  CROSS JOIN timer_value v ON v.timer_call_data = d.id AND v.exclusive_value IS NULL
  WHERE h.trial = (SELECT trial FROM chosen) AND h.thread_index = -2),
alone AS MATERIALIZED (SELECT max(n) AS n FROM numbers
  HAVING count(*) = 1 AND max(thread) = 0 AND NOT max(older) AND NOT EXISTS (SELECT 1 FROM unknown)),
read AS (SELECT trial FROM chosen WHERE NOT EXISTS (SELECT 1 FROM alone)),
@threads,
own AS (SELECT k.timer, k.name, s.thread, sum(s.have) AS have, sum(s.exclusive) AS exclusive,
    max(s.largest) AS largest, min(s.smallest) AS smallest
  FROM (SELECT path, thread, count(*) AS have, sum(exclusive) AS exclusive, max(exclusive) AS largest,
      min(exclusive) AS smallest FROM flat WHERE waits = 0 GROUP BY path, thread) s
  JOIN counted k ON k.id = s.path
  WHERE s.thread = 0 OR k.name <> '.TAU application' GROUP BY k.timer, s.thread),
compared AS (SELECT o.name, sum(o.exclusive) / sum(n.n) AS mean, max(o.largest) AS largest,
    CASE WHEN sum(o.have) < sum(n.n) THEN min(0, min(o.smallest)) ELSE min(o.smallest) END AS smallest
  FROM own o JOIN numbers n ON n.thread = o.thread GROUP BY o.timer),
-- A trial that is a summary has derived threads only. Their numbers are over the threads that have the timer (-1, -4, -5); with one
-- thread in each process, also over all (-6). The timer is missing somewhere if the mean over all is another.
shape AS MATERIALIZED (SELECT t.threads_per_context = 1 AS single, NULL AS n FROM chosen c JOIN trial t ON t.id = c.trial
  WHERE NOT EXISTS (SELECT 1 FROM numbers)
  UNION ALL SELECT 1, n FROM alone),
summary AS (SELECT k.timer, k.name, h.thread_index AS place, v.exclusive_value AS v, x.single, x.n
  FROM shape x CROSS JOIN chosen c CROSS JOIN thread h ON h.trial = c.trial AND h.thread_index < 0
  CROSS JOIN timer_call_data d ON d.thread = h.id AND d.time_range IS (SELECT id FROM span)
  CROSS JOIN counted k ON k.id = d.timer_callpath
  CROSS JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = (SELECT id FROM unit)),
places AS (SELECT name, single, n, max(v) FILTER (WHERE place = -1) AS among,
    CASE WHEN n IS NULL THEN max(v) FILTER (WHERE place = -6) ELSE max(v) FILTER (WHERE place = -2) / n END AS everywhere,
    max(v) FILTER (WHERE place = -5) AS largest, max(v) FILTER (WHERE place = -4) AS smallest
  FROM summary GROUP BY timer),
summed AS (SELECT name, CASE WHEN single THEN everywhere ELSE among END AS mean, largest,
    CASE WHEN single AND among <> everywhere THEN min(0, smallest) ELSE smallest END AS smallest FROM places)
SELECT name AS timer, mean, largest, smallest, largest / mean AS largest_by_mean, largest - mean AS excess
FROM (SELECT * FROM compared UNION ALL SELECT * FROM summed) WHERE mean > 0
ORDER BY excess DESC, name LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END;

-- query: timer-threads
-- ? How long is one timer on each thread?
-- columns: timer pe context thread calls exclusive inclusive
-- needs: threads
-- :timer pattern! the name of the timer, or a pattern such as MPI_%
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
-- Queues of devices have rows, too: of kernels and copies.
-- From the timers to their rows: few of many timers then cost their own rows only.
WITH
@chosen
@span
@unit
@timers
SELECT t.name AS timer, h.node_rank AS pe, h.context_rank AS context, h.thread_rank AS thread, d.calls,
  v.exclusive_value AS exclusive, v.inclusive_value AS inclusive
FROM chosen c CROSS JOIN timer t ON t.trial = c.trial AND t.name GLOB (SELECT pattern FROM wanted)
CROSS JOIN timer_callpath p ON p.timer = t.id AND p.parent IS NULL
CROSS JOIN timer_call_data d ON d.timer_callpath = p.id AND d.time_range IS (SELECT id FROM span)
CROSS JOIN thread h ON h.id = d.thread AND h.trial = c.trial AND h.node_rank >= 0
  AND (h.waiting IS NOT 1 OR (t.name <> '.TAU application' AND t.name NOT GLOB 'addr=<*> [[]*.so*'))
CROSS JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = (SELECT id FROM unit)
WHERE NOT EXISTS (SELECT 1 @samples t.id)
ORDER BY t.name, h.node_rank, h.context_rank, h.thread_rank;

-- query: pes
-- ? How much time does each PE spend in MPI and OpenSHMEM?
-- columns: pe threads exclusive runtimes runtimes_share
-- needs: threads
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
WITH
@chosen
@span
@unit
@counted
-- A trial that TAU or an early version has stored has no sums until tau-db gc adds them: its values are read.
read AS (SELECT trial FROM chosen c WHERE NOT EXISTS (SELECT 1 FROM thread h
  JOIN thread_sum s ON s.thread = h.id WHERE h.trial = c.trial)),
@threads,
stored AS (SELECT h.node_rank AS pe, coalesce(h.waiting, 0) = 0 AS counts, s.runtimes,
    s.exclusive - CASE WHEN h.waiting = 1 THEN coalesce((SELECT sum(v.exclusive_value)
      FROM idle i CROSS JOIN timer_call_data d ON d.thread = h.id AND d.timer_callpath = i.id
        AND d.time_range IS (SELECT id FROM span)
      CROSS JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = (SELECT id FROM unit)), 0) ELSE 0 END AS exclusive
  FROM thread h CROSS JOIN thread_sum s ON s.thread = h.id
    AND s.time_range IS (SELECT id FROM span) AND s.metric = (SELECT id FROM unit)
  WHERE h.trial = (SELECT trial FROM chosen) AND h.node_rank >= 0 AND coalesce(h.waiting, 0) <= 1),
runtime AS (SELECT id FROM counted WHERE timer IN
  (SELECT g.timer FROM timer_group g WHERE g.group_name IN ('MPI', 'SHMEM'))),
added AS (SELECT pe, sum(exclusive) AS exclusive,
    sum(CASE WHEN path IN (SELECT id FROM runtime) THEN exclusive ELSE 0 END) AS runtimes
  FROM flat GROUP BY pe),
sums AS (SELECT a.pe, (SELECT count(*) FROM thread h
    WHERE h.trial = (SELECT trial FROM chosen) AND h.node_rank = a.pe AND coalesce(h.waiting, 0) = 0
    AND EXISTS (SELECT 1 FROM timer_call_data d JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = (SELECT id FROM unit)
      WHERE d.thread = h.id AND d.time_range IS (SELECT id FROM span)
      AND d.timer_callpath IN (SELECT id FROM counted))) AS threads,
    a.exclusive, a.runtimes FROM added a
  UNION ALL SELECT pe, sum(counts), sum(exclusive), sum(runtimes) FROM stored GROUP BY pe)
SELECT pe, threads, exclusive, runtimes, 100.0 * runtimes / nullif(exclusive, 0) AS runtimes_share
FROM sums ORDER BY pe;

-- query: callers
-- ? From which timers is a timer called, and how long?
-- columns: caller calls exclusive inclusive
-- needs: callpaths
-- :timer text! the name of the timer
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
WITH RECURSIVE
@chosen
@span
@unit
@paths,
@edges
SELECT e.caller_name AS caller, sum(e.calls) AS calls, sum(e.exclusive) AS exclusive,
  sum(CASE WHEN n.id IS NULL THEN e.inclusive ELSE 0 END) AS inclusive
FROM edges e LEFT JOIN nested n ON n.id = e.id
WHERE e.callee_name = :timer
GROUP BY e.caller ORDER BY inclusive DESC, e.caller_name;

-- query: callees
-- ? Which timers does a timer call, and how long?
-- columns: callee calls exclusive inclusive
-- needs: callpaths
-- :timer text! the name of the timer
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
WITH RECURSIVE
@chosen
@span
@unit
@paths,
@edges
SELECT e.callee_name AS callee, sum(e.calls) AS calls, sum(e.exclusive) AS exclusive,
  sum(CASE WHEN n.id IS NULL THEN e.inclusive ELSE 0 END) AS inclusive
FROM edges e LEFT JOIN nested n ON n.id = e.id
WHERE e.caller_name = :timer
GROUP BY e.callee ORDER BY inclusive DESC, e.callee_name;

-- query: frequent
-- ? Which timers are called most often, and how short?
-- columns: timer calls inclusive_per_call exclusive
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :metric text a metric (default: the first)
-- :top number rows (default: 10; 0: all)
WITH
@chosen
@span
@unit
@derived
SELECT s.name AS timer, s.calls, s.inclusive / s.calls AS inclusive_per_call, s.exclusive
FROM flat s WHERE s.place = -2 AND s.calls > 0
ORDER BY s.calls DESC, s.name LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END;

-- query: windows
-- ? How is the time of a trial divided among its windows?
-- columns: number name start end exclusive
-- :trial trial the trial (default: the newest)
-- :metric text a metric (default: the first)
WITH
@chosen
unit AS (SELECT m.id FROM metric m JOIN chosen c ON m.trial = c.trial
  WHERE :metric IS NULL OR m.name = :metric ORDER BY m.id LIMIT 1)
SELECT row_number() OVER (ORDER BY r.id) - 1 AS number, r.name,
  coalesce(r.exact_start, r.start) AS start, coalesce(r.exact_end, r."end") AS "end",
  (SELECT sum(v.exclusive_value) FROM thread h CROSS JOIN timer_call_data d ON d.thread = h.id
    CROSS JOIN timer_callpath p ON p.id = d.timer_callpath AND p.parent IS NULL
    JOIN timer_value v ON v.timer_call_data = d.id AND v.metric = (SELECT id FROM unit)
    WHERE h.trial = r.trial AND h.thread_index = -2 AND d.time_range = r.id
    AND NOT EXISTS (SELECT 1 @samples p.timer)) AS exclusive
FROM chosen c JOIN time_range r ON r.trial = c.trial
ORDER BY r.id;

-- query: metrics
-- ? What is the ratio of two metrics in each timer?
-- columns: timer upper lower ratio
-- :metric text! the upper metric
-- :by text the lower metric (default: the first)
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :top number rows (default: 10; 0: all)
WITH
@chosen
@span
upper AS (SELECT m.id FROM metric m JOIN chosen c ON m.trial = c.trial WHERE m.name = :metric),
lower AS (SELECT m.id FROM metric m JOIN chosen c ON m.trial = c.trial
  WHERE :by IS NULL OR m.name = :by ORDER BY m.id LIMIT 1)
SELECT t.name AS timer, a.exclusive_value AS upper, b.exclusive_value AS lower,
  a.exclusive_value / nullif(b.exclusive_value, 0) AS ratio
FROM chosen c CROSS JOIN thread h ON h.trial = c.trial AND h.thread_index = -2
CROSS JOIN timer_call_data d ON d.thread = h.id AND d.time_range IS (SELECT id FROM span)
CROSS JOIN timer_callpath p ON p.id = d.timer_callpath AND p.parent IS NULL
CROSS JOIN timer t ON t.id = p.timer
CROSS JOIN timer_value a ON a.timer_call_data = d.id AND a.metric = (SELECT id FROM upper)
CROSS JOIN timer_value b ON b.timer_call_data = d.id AND b.metric = (SELECT id FROM lower)
WHERE NOT EXISTS (SELECT 1 @samples t.id)
ORDER BY b.exclusive_value DESC, t.name LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END;

-- query: scaling
-- ? How do time, speedup and efficiency change with PEs?
-- columns: trial name application pes time speedup efficiency
-- :application text only trials of this application
-- :metric text a metric (default: the first)
WITH
@everywhere
@totals,
whole AS (SELECT t.trial, t.trial_name, a.value AS application, t.pes, max(t.inclusive) AS time
  FROM totals t LEFT JOIN primary_metadata a ON a.trial = t.trial AND a.name = 'Application'
  WHERE t.place = -5 GROUP BY t.trial),
based AS (SELECT *, first_value(time) OVER (PARTITION BY application ORDER BY pes, trial) AS base,
  first_value(pes) OVER (PARTITION BY application ORDER BY pes, trial) AS base_pes FROM whole)
SELECT trial, trial_name AS name, application, pes, time, base / nullif(time, 0) AS speedup,
  100.0 * base * base_pes / nullif(time * pes, 0) AS efficiency
FROM based
ORDER BY application, pes, trial;

-- query: timer-scaling
-- ? How does the mean time of one timer change over trials?
-- columns: timer trial pes mean_calls mean_exclusive largest_exclusive mean_inclusive
-- :timer pattern! the name of the timer, or a pattern such as MPI_%
-- :application text only trials of this application
-- :metric text a metric (default: the first)
WITH
@everywhere
@totals,
@timers
SELECT m.name AS timer, m.trial, m.pes, m.calls AS mean_calls, m.exclusive AS mean_exclusive,
  x.exclusive AS largest_exclusive, m.inclusive AS mean_inclusive
FROM totals m JOIN totals x ON x.timer = m.timer AND x.place = -5
WHERE m.place = -1 AND m.name GLOB (SELECT pattern FROM wanted)
ORDER BY m.name, m.pes, m.trial;

-- query: runtimes
-- ? Which share of each trial is in MPI and OpenSHMEM?
-- columns: trial name pes exclusive runtimes runtimes_share
-- :application text only trials of this application
-- :metric text a metric (default: the first)
WITH
@everywhere
@totals
SELECT s.trial, s.trial_name AS name, s.pes, sum(s.exclusive) AS exclusive,
  sum(CASE WHEN g.timer IS NOT NULL THEN s.exclusive ELSE 0 END) AS runtimes,
  100.0 * sum(CASE WHEN g.timer IS NOT NULL THEN s.exclusive ELSE 0 END)
    / nullif(sum(s.exclusive), 0) AS runtimes_share
FROM totals s LEFT JOIN (SELECT DISTINCT timer FROM timer_group
  WHERE group_name IN ('MPI', 'SHMEM')) g ON g.timer = s.timer
WHERE s.place = -2
GROUP BY s.trial ORDER BY s.trial;

-- query: compare
-- ? Which timers differ most between two trials?
-- columns: timer from to difference ratio
-- :from trial! the first trial
-- :to trial! the second trial
-- :metric text a metric (default: the first)
-- :top number rows (default: 10; 0: all)
WITH firsts AS (SELECT t.id AS trial, t.name AS trial_name, t.node_count AS pes,
    (SELECT min(r.id) FROM time_range r WHERE r.trial = t.id) AS span,
    (SELECT min(m.id) FROM metric m WHERE m.trial = t.id
      AND m.name = coalesce(:metric, m.name)) AS unit
  FROM trial t WHERE t.id IN (:from, :to)),
@totals,
timers AS (SELECT name, max(exclusive) FILTER (WHERE trial = :from) AS a, max(exclusive) FILTER (WHERE trial = :to) AS b
  FROM totals WHERE place = -1 GROUP BY name)
SELECT name AS timer, a AS "from", b AS "to", b - a AS difference, b / nullif(a, 0) AS ratio
FROM timers
ORDER BY abs(coalesce(b, 0) - coalesce(a, 0)) DESC, name LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END;

-- query: repeats
-- ? How much do timers vary over trials on the same PEs?
-- columns: timer application pes trials mean smallest largest deviation_of_mean
-- :application text only trials of this application
-- :metric text a metric (default: the first)
-- :top number rows (default: 10; 0: all)
WITH
@everywhere
@totals,
-- Deviations are from the mean: a difference of two sums of squares has no digits left if values are large.
repeated AS (SELECT t.name, a.value AS application, t.pes, t.exclusive,
    avg(t.exclusive) OVER (PARTITION BY t.name, a.value, t.pes) AS mean
  FROM totals t LEFT JOIN primary_metadata a ON a.trial = t.trial AND a.name = 'Application'
  WHERE t.place = -1)
SELECT name AS timer, application, pes, count(*) AS trials, mean, min(exclusive) AS smallest,
  max(exclusive) AS largest,
  100.0 * sqrt(avg((exclusive - mean) * (exclusive - mean))) / nullif(mean, 0) AS deviation_of_mean
FROM repeated
GROUP BY name, application, pes HAVING count(*) > 1
ORDER BY mean DESC, name, application, pes LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END;

-- query: metadata
-- ? What is the metadata of a trial?
-- columns: name value
-- :trial trial the trial (default: the newest)
-- :name pattern a name, or a pattern such as TAU%
WITH chosen AS (SELECT coalesce(:trial, max(id)) AS trial FROM trial)
SELECT m.name, m.value FROM primary_metadata m JOIN chosen c ON m.trial = c.trial
WHERE :name IS NULL OR m.name = :name OR m.name GLOB
  replace(replace(replace(replace(:name, '[', '[[]'), '*', '[*]'), '?', '[?]'), '%', '*')
ORDER BY m.name, m.value;

-- query: metadata-differences
-- ? Which metadata differs between two trials?
-- columns: name from to
-- :from trial! the first trial
-- :to trial! the second trial
-- Rows with a thread repeat what only the first thread has.
WITH names AS (SELECT DISTINCT name FROM primary_metadata
  WHERE trial IN (:from, :to) AND thread IS NULL)
SELECT n.name, a.value AS "from", b.value AS "to" FROM names n
LEFT JOIN primary_metadata a ON a.name = n.name AND a.trial = :from AND a.thread IS NULL
LEFT JOIN primary_metadata b ON b.name = n.name AND b.trial = :to AND b.thread IS NULL
WHERE a.value IS NOT b.value
ORDER BY n.name;
