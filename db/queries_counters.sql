-- queries_counters.sql: the queries of counters, messages, and what was not recorded or is stored; they use the parts of queries.sql.

-- query: counters
-- ? Which counters have the largest sums?
-- columns: counter samples sum mean smallest largest
-- needs: counters
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :counter pattern a name, or a pattern such as Message size%
-- :top number rows (default: 10; 0: all)
WITH
@chosen
@span
counted AS (SELECT b.id AS counter, v.sample_count AS n, v.sample_count * v.mean_value AS total,
    v.mean_value AS mean, v.minimum_value AS least, v.maximum_value AS most
  FROM chosen c CROSS JOIN thread h ON h.trial = c.trial AND h.thread_index = -2
  CROSS JOIN counter_base b ON b.trial = c.trial AND b.object IS NULL
  CROSS JOIN counter_value_base v ON v.counter = b.id AND v.thread = h.id
    AND v.timer_callpath IS NULL AND v.time_range IS (SELECT id FROM span)
  UNION ALL
  SELECT m.counter, sum(m.threads * m.n), sum(m.threads * m.total),
    sum(m.threads * m.total) / sum(m.threads * m.n), min(m.least), max(m.most)
  FROM memory_row m WHERE m.trial = (SELECT trial FROM chosen)
    AND m.time_range IS (SELECT id FROM span)
  GROUP BY m.counter),
@counters
SELECT k.name AS counter, v.n AS samples, v.total AS sum, v.mean, v.least AS smallest,
  v.most AS largest
FROM counted v JOIN counter k ON k.id = v.counter
WHERE :counter IS NULL OR k.name GLOB (SELECT pattern FROM wanted)
ORDER BY sum DESC, k.name LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END;

-- query: counter-threads
-- ? What are the values of a counter on each thread?
-- columns: counter pe context thread samples sum mean smallest largest
-- needs: threads
-- :counter pattern! a name, or a pattern such as Message size%
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
WITH
@chosen
@span
@counters,
named AS MATERIALIZED (SELECT k.id, k.name FROM chosen c JOIN counter k ON k.trial = c.trial
  WHERE k.name GLOB (SELECT pattern FROM wanted)),
counted AS (SELECT b.id AS counter, h.node_rank AS pe, h.context_rank AS context,
    h.thread_rank AS thread, v.sample_count AS n, v.sample_count * v.mean_value AS total,
    v.mean_value AS mean, v.minimum_value AS least, v.maximum_value AS most
  FROM named b CROSS JOIN counter_value_base v ON v.counter = b.id AND v.timer_callpath IS NULL
    AND v.time_range IS (SELECT id FROM span)
  JOIN thread h ON h.id = v.thread AND h.node_rank >= 0
  UNION ALL
  SELECT m.counter, h.node_rank, h.context_rank, h.thread_rank, m.n, m.total, m.total / m.n, m.least, m.most
  FROM memory_row m JOIN thread h ON h.trial = m.trial
    AND h.node_rank BETWEEN m.first_node AND m.last_node
    AND h.context_rank = m.context_rank AND h.thread_rank = m.thread_rank
  WHERE m.counter IN (SELECT id FROM named) AND m.time_range IS (SELECT id FROM span))
SELECT b.name AS counter, v.pe, v.context, v.thread, v.n AS samples, v.total AS sum, v.mean,
  v.least AS smallest, v.most AS largest
FROM counted v JOIN named b ON b.id = v.counter
ORDER BY b.name, v.pe, v.context, v.thread;

-- query: counter-scaling
-- ? How does the sum of a counter per thread change over trials?
-- columns: counter trial pes samples mean_sum largest
-- :counter pattern! a name, or a pattern such as Message size%
-- :application text only trials of this application
WITH
@counters,
named AS MATERIALIZED (SELECT k.id, k.name, t.id AS trial, t.node_count AS pes,
    t.total_threads - (SELECT count(*) FROM thread h WHERE h.trial = t.id AND h.waiting > 1) AS threads,
    (SELECT min(r.id) FROM time_range r WHERE r.trial = t.id) AS span
  FROM trial t JOIN counter k ON k.trial = t.id
  WHERE k.name GLOB (SELECT pattern FROM wanted)
    AND (:trials IS NULL OR instr(:trials, ',' || t.id || ','))
    AND (:application IS NULL OR EXISTS (SELECT 1 FROM primary_metadata a
      WHERE a.trial = t.id AND a.name = 'Application' AND a.value = :application))),
counted AS (SELECT b.id AS counter, v.sample_count AS n, v.sample_count * v.mean_value AS total,
    x.maximum_value AS most
  FROM named b CROSS JOIN thread h ON h.trial = b.trial AND h.thread_index = -6
  CROSS JOIN counter_value_base v ON v.counter = b.id AND v.thread = h.id
    AND v.timer_callpath IS NULL AND v.time_range IS b.span
  CROSS JOIN thread g ON g.trial = b.trial AND g.thread_index = -2
  CROSS JOIN counter_value_base x ON x.counter = b.id AND x.thread = g.id
    AND x.timer_callpath IS NULL AND x.time_range IS b.span
  UNION ALL
  SELECT b.id, 1.0 * sum(m.threads * m.n) / b.threads, sum(m.threads * m.total) / b.threads,
    max(m.most)
  FROM named b CROSS JOIN memory_row m ON m.counter = b.id AND m.time_range IS b.span
  GROUP BY b.id)
SELECT b.name AS counter, b.trial, b.pes, v.n AS samples, v.total AS mean_sum, v.most AS largest
FROM counted v JOIN named b ON b.id = v.counter
ORDER BY b.name, b.pes, b.trial;

-- query: message-pairs
-- ? Who sends most to whom?
-- columns: sender receiver kind messages bytes share smallest largest
-- needs: messages
-- :trial trial the trial (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :kind text only sent, received, put, got or atomic (default: all but received)
-- :top number rows (default: 10; 0: all)
WITH
@chosen
@span
pairs AS (SELECT p.sender, p.receiver, p.kind, sum(p.messages) AS messages, sum(p.bytes) AS bytes,
    min(p.smallest) AS smallest, max(p.largest) AS largest
  FROM message_by_pair p WHERE p.trial = (SELECT trial FROM chosen) AND p.time_range IS (SELECT id FROM span)
    AND p.size_class IS NULL AND CASE WHEN :kind IS NULL THEN p.kind <> 'received' ELSE p.kind = :kind END
  GROUP BY p.sender, p.receiver, p.kind)
SELECT sender, receiver, kind, messages, bytes, 100.0 * bytes / (SELECT sum(bytes) FROM pairs) AS share,
  smallest, largest
FROM pairs ORDER BY bytes DESC, messages DESC, sender, receiver
LIMIT CASE :top WHEN 0 THEN -1 ELSE coalesce(:top, 10) END;

-- query: message-sizes
-- ? How large are the messages, in classes from a power of two to the next?
-- columns: kind least most messages bytes pairs
-- needs: sizes
-- :trial trial the trial, imported with --sizes (default: the newest)
-- :window number a window of the trial, from 0 (default: 0)
-- :kind text only sent, received, put, got or atomic (default: all but received)
WITH
@chosen
@span
classes AS (SELECT p.kind, p.size_class, sum(p.messages) AS messages, sum(p.bytes) AS bytes,
    count(DISTINCT p.sender || ' ' || p.receiver) AS pairs
  FROM message_by_pair p WHERE p.trial = (SELECT trial FROM chosen) AND p.time_range IS (SELECT id FROM span)
    AND p.size_class >= 0 AND CASE WHEN :kind IS NULL THEN p.kind <> 'received' ELSE p.kind = :kind END
  GROUP BY p.kind, p.size_class)
SELECT kind, CASE size_class WHEN 0 THEN 0 ELSE 1 << (size_class - 1) END AS least,
  (1 << size_class) - 1 AS most, messages, bytes, pairs
FROM classes ORDER BY kind, size_class;

-- query: losses
-- ? Which trials are incomplete?
-- columns: trial name what value
WITH
-- What the trial, its threads and its windows have; primary metadata with a thread repeats the thread's, and a thread can
-- repeat the trial's.
said AS (SELECT trial, NULL AS span, name, value FROM primary_metadata WHERE thread IS NULL
  UNION ALL SELECT s.trial, s.time_range, s.name, s.value FROM secondary_metadata s
  WHERE s.thread IS NULL OR s.time_range IS NOT NULL OR NOT EXISTS (SELECT 1
    FROM primary_metadata p WHERE p.trial = s.trial AND p.name = s.name AND p.value = s.value
    AND p.thread IS NULL)),
added AS (SELECT trial, span, name, sum(CAST(value AS REAL)) AS n FROM said
  WHERE name IN ('TAU Lost Events', 'TAU Repaired Frames', 'TAU Unmatched Stops')
  GROUP BY trial, span, name),
-- Windows may overlap: the one with the most counts.
counted AS (SELECT trial, name, total(CASE WHEN span IS NULL THEN n END)
    + coalesce(max(CASE WHEN span IS NOT NULL THEN n END), 0) AS n FROM added GROUP BY trial, name)
SELECT t.id AS trial, t.name, c.name AS what,
  CASE WHEN c.n < 9e15 THEN CAST(c.n AS INTEGER) ELSE c.n END AS value
FROM counted c JOIN trial t ON t.id = c.trial WHERE c.n > 0
UNION
SELECT t.id, t.name, s.name, s.value FROM said s JOIN trial t ON t.id = s.trial
WHERE s.name GLOB 'TAU Files *' OR s.name = 'TAU Values Missing'
ORDER BY 1, 3, 4;

-- query: sizes
-- ? How many rows does each trial have?
-- columns: id name timers call_paths timer_rows counters counter_rows memory_rows
SELECT t.id, t.name,
  (SELECT count(*) FROM timer r WHERE r.trial = t.id) AS timers,
  (SELECT count(*) FROM timer r JOIN timer_callpath p ON p.timer = r.id WHERE r.trial = t.id)
    AS call_paths,
  (SELECT count(*) FROM thread h JOIN timer_call_data d ON d.thread = h.id WHERE h.trial = t.id)
    AS timer_rows,
  (SELECT count(*) FROM counter_base k WHERE k.trial = t.id) AS counters,
  (SELECT count(*) FROM counter_base k JOIN counter_value_base v ON v.counter = k.id
    WHERE k.trial = t.id) AS counter_rows,
  (SELECT count(*) FROM memory_object o JOIN memory_value m ON m.object = o.id
    WHERE o.trial = t.id) AS memory_rows
FROM trial t ORDER BY t.id;
