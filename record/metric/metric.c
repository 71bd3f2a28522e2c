/*
 * metric.c: which metrics are recorded, where their values come from, and how they are stored in a chunk.
 * Values are read as they are and written as differences. All the metrics of a source are read at once. Reading happens inside the
 * recorder, on the thread that enters or leaves; a value that cannot be read stays what it was.
 */
#include "record/metric/metric.h"
#include "record/api.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/failure.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/encode/define_write.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/format.h"
#include "record/metadata.h"
#include "record/metric/counters.h"
#include "record/metric/papi.h"
#include "record/metric/perf.h"
#include "record/metric/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum source {
	SOURCE_CPU,
	SOURCE_WALL,
	SOURCE_USAGE,
	SOURCE_STATM,
	SOURCE_IO,
	SOURCE_LOGICAL,
	SOURCE_CLOCK,
	SOURCE_HEAP,
	SOURCE_HEADROOM,
	SOURCE_READ,
	SOURCE_PERF,
	SOURCE_PAPI,
	SOURCES
};

/* Names are TAU's where it has one. field: which of the source's numbers it is. */
static const struct builtin {
	const char *name;
	enum source source;
	uint32_t field, flags;
	const char *unit;
} builtins[] = {
	{"CPU_TIME", SOURCE_CPU, 0, 0, "ns"},
	{"P_VIRTUAL_TIME", SOURCE_CPU, 0, 0, "ns"},
	{"P_WALL_CLOCK_TIME", SOURCE_WALL, 0, 0, "ns"},
	{"LINUX_TIMERS", SOURCE_WALL, 0, 0, "ns"},
	{"USER_TIME", SOURCE_USAGE, 0, 0, "ns"},
	{"SYSTEM_TIME", SOURCE_USAGE, 1, 0, "ns"},
	{"MINOR_PAGE_FAULTS", SOURCE_USAGE, 2, 0, ""},
	{"MAJOR_PAGE_FAULTS", SOURCE_USAGE, 3, 0, ""},
	{"PAGE_FAULTS", SOURCE_USAGE, 4, 0, ""},
	{"VOLUNTARY_CONTEXT_SWITCHES", SOURCE_USAGE, 5, 0, ""},
	{"INVOLUNTARY_CONTEXT_SWITCHES", SOURCE_USAGE, 6, 0, ""},
	{"CONTEXT_SWITCHES", SOURCE_USAGE, 7, 0, ""},
	{"RESIDENT_MEMORY", SOURCE_STATM, 0, TAU_METRIC_LEVEL, "B"},
	{"MEMORY_DELTA", SOURCE_STATM, 0, TAU_METRIC_LEVEL, "B"},
	{"READ_BYTES", SOURCE_IO, 0, 0, "B"},
	{"WRITE_BYTES", SOURCE_IO, 1, 0, "B"},
	{"LOGICAL_CLOCK", SOURCE_LOGICAL, 0, 0, ""},
	{"USER_CLOCK", SOURCE_CLOCK, 0, 0, "ns"},
	{"HEAP_MEMORY", SOURCE_HEAP, 0, TAU_METRIC_LEVEL, "B"},
	/* Not for lists: events at the entry and the exit of regions (heap_events.c). */
	{TAU_METRIC_HEAP, SOURCE_HEAP, 0, TAU_METRIC_LEVEL, "B"},
	{TAU_METRIC_HEADROOM, SOURCE_HEADROOM, 0, TAU_METRIC_LEVEL, "B"},
};
#define BUILTINS (sizeof(builtins) / sizeof(*builtins))
#define FIELDS   TAU_METRICS /* most numbers of a source */

struct metric {
	char name[METRIC_NAME];
	enum source source;
	uint32_t field, flags;
	const char *unit;
	uint64_t (*read)(void); /* SOURCE_READ: the program's, NULL until it comes */
};

/* Of the process; fixed when it starts, but for what the program registers. */
static struct {
	struct metric metric[TAU_METRICS];
	uint32_t n;
	unsigned sources;                   /* bits */
	int perf[COUNTERS], papi[COUNTERS]; /* codes, in the order of fields */
	uint32_t perf_n, papi_n;
	bool said; /* that something cannot be read */
	bool paused; /* by a command: no metric is read, each keeps its value */
} metrics;

static __thread double user_clock; /* microseconds, as Tau_set_user_clock() has it */

/* Of a stream. The values are those written last, on which the next ones build. */
struct stream_metrics {
	int64_t value[TAU_METRICS], next[TAU_METRICS];
	int64_t base[TAU_METRICS];    /* of a function that the program brought when the stream was
					 there already */
	uint64_t travel[TAU_METRICS]; /* how far a value has gone; beyond what sums can hold it
					 stays */
	bool bound[TAU_METRICS];      /* base is known */
	int64_t skipped[TAU_METRICS]; /* what passed while metrics were paused */
	bool was_paused[TAU_METRICS]; /* when it was to be read last */
	int64_t logical;
	struct perf_group perf;
	struct papi_sets papi;
	int64_t *enter;   /* [frame * n + metric]: the values at the enter of open frames */
	size_t enter_cap; /* frames */
	int64_t off[TAU_METRICS];     /* the values when recording went off */
};
#define TRAVEL_LIMIT (UINT64_C(1) << 60)

/* ---- the list ---- */

/* The next name of a list, from *at on; 0 at the end. Commas separate names; if there is none, single colons do (not PAPI's). */
static bool list_next(const char **at, bool commas, char name[METRIC_NAME])
{
	size_t n = 0;

	while (**at == ',' || **at == ' ' || (!commas && **at == ':' && (*at)[1] != ':'))
		++*at;
	while ((*at)[n] && (*at)[n] != ',' &&
	       (commas || (*at)[n] != ':' || (*at)[n + 1] == ':' || (n && (*at)[n - 1] == ':')))
		n++;
	snprintf(name, METRIC_NAME, "%.*s", (int)n, *at);
	*at += n;
	return n > 0;
}

/* The time is always a metric; it need not be selected. */
static bool is_time(const char *name)
{
	return !strcmp(name, "TIME") || !strcmp(name, "GET_TIME_OF_DAY");
}

static bool is_listed(const char *name)
{
	for (uint32_t i = 0; i < metrics.n; i++)
		if (!strcmp(metrics.metric[i].name, name))
			return true;
	return false;
}

/* Finds the source of a metric. false: it is unavailable here, see *r. */
static bool metric_find(struct metric *m, struct metric_refusal *r)
{
	int code = perf_find(m->name);

	for (size_t i = 0; i < BUILTINS; i++) {
		if (strcmp(builtins[i].name, m->name) != 0)
			continue;
		m->source = builtins[i].source;
		m->field = builtins[i].field;
		m->flags = builtins[i].flags;
		m->unit = builtins[i].unit;
		return true;
	}
	m->unit = "";
	m->flags = 0;
	if (code >= 0) {
		m->source = SOURCE_PERF;
		m->field = metrics.perf_n;
		metrics.perf[m->field] = code;
		if (!perf_try(code, r))
			return false;
		metrics.perf_n++;
		return true;
	}
	if (!strncmp(m->name, "PAPI_", 5) || strchr(m->name, ':')) {
		code = papi_find(m->name, r);
		m->source = SOURCE_PAPI;
		m->field = metrics.papi_n;
		if (code >= 0)
			metrics.papi[metrics.papi_n++] = code;
		return code >= 0;
	}
	m->source = SOURCE_READ; /* the program will register it */
	m->field = 0;
	return true;
}

static void list_parse(const char *list, refuse_function *refuse, void *to)
{
	bool commas = strchr(list, ',') != NULL;
	struct metric_refusal r;
	char name[METRIC_NAME];

	while (list_next(&list, commas, name)) {
		struct metric *m = &metrics.metric[metrics.n];

		if (is_time(name) || is_listed(name))
			continue;
		if (metrics.n == TAU_METRICS) {
			refuse(to, name, TAU_REFUSED_OTHER, "there are 32 others already");
			continue;
		}
		memcpy(m->name, name, sizeof(m->name));
		if (!metric_find(m, &r)) {
			refuse(to, name, r.cause, r.why);
			continue;
		}
		metrics.sources |= 1u << m->source;
		metrics.n++;
	}
}

static void refuse_here(void *to __attribute__((unused)), const char *name,
			const char *cause __attribute__((unused)), const char *why)
{
	message_print("metric %s is not recorded in process %u: %s", name, process.pid, why);
}

uint32_t metric_start(void)
{
	const char *list = getenv("TAU_RECORD_METRICS");

	if (list && *list)
		list_parse(list, refuse_here, NULL);
	for (list = calls_up.heap_metrics(); *list; list += strlen(list) + 1)
		list_parse(list, refuse_here, NULL);
	return metrics.n;
}

/* For programs that start the recorder: names of metrics, for those who have written one wrongly. */
__attribute__((visibility("default"))) void
tau_metrics_names(void (*each)(void *to, const char *name), void *to)
{
	for (size_t i = 0; i < BUILTINS; i++)
		if (builtins[i].name[0] != '.' && strcmp(builtins[i].name, TAU_METRIC_HEAP) != 0 &&
		    strcmp(builtins[i].name, TAU_METRIC_HEADROOM) != 0)
			each(to, builtins[i].name);
}

/* For programs that start the recorder: metrics that this machine has go to `out`, each with a comma, others to `refuse`. */
__attribute__((visibility("default"))) void
tau_metrics_check(const char *list, char *out, size_t size, refuse_function *refuse, void *to)
{
	const __typeof__(metrics) here = metrics;
	size_t at = 0;

	memset(&metrics, 0, sizeof(metrics));
	list_parse(list, refuse, to);
	*out = 0;
	for (uint32_t i = 0; i < metrics.n && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s,", metrics.metric[i].name);
	metrics = here;
}

/* ---- the program's own ---- */

int tau_metric_register(const char *name, uint64_t (*read)(void))
{
	if (tau_gate.value == GATE_FORKED)
		enter_slow();
	for (uint32_t i = 0; i < metrics.n; i++) {
		struct metric *m = &metrics.metric[i];

		if (m->source == SOURCE_READ && !strcmp(m->name, name)) {
			__atomic_store_n(&m->read, read, __ATOMIC_RELEASE);
			return 1;
		}
	}
	return 0;
}

void Tau_set_user_clock(double value)
{
	user_clock = value;
}

/* Calls the program's function with the recorder hidden from it. */
static int64_t read_program(struct stream_metrics *s, uint32_t i, uint64_t (*read)(void))
{
	int64_t v;

	self.hidden++;
	v = (int64_t)read();
	self.hidden--;
	if (!s->bound[i]) {
		s->base[i] = (int64_t)((uint64_t)v - (uint64_t)s->value[i]);
		s->bound[i] = true;
	}
	return (int64_t)((uint64_t)v - (uint64_t)s->base[i]);
}

/* ---- sources: each fills its fields, or returns that it cannot; the system's are in system.c ---- */

static bool read_logical(struct stream_metrics *s, int64_t *out)
{
	out[0] = ++s->logical;
	return true;
}

static bool read_clock(struct stream_metrics *s __attribute__((unused)), int64_t *out)
{
	double ns = user_clock * 1000;

	out[0] = ns > -1e18 && ns < 1e18 ? (int64_t)ns : 0;
	return true;
}

static bool read_heap(struct stream_metrics *s __attribute__((unused)), int64_t *out)
{
	out[0] = (int64_t)calls_up.heap_bytes();
	return true;
}

static bool read_headroom(struct stream_metrics *s __attribute__((unused)), int64_t *out)
{
	out[0] = (int64_t)calls_up.headroom();
	return true;
}

static bool read_perf(struct stream_metrics *s, int64_t *out)
{
	return perf_read(&s->perf, out);
}

static bool read_papi(struct stream_metrics *s, int64_t *out)
{
	return papi_read(&s->papi, out);
}

static bool (*const readers[SOURCES])(struct stream_metrics *, int64_t *) = {
	[SOURCE_CPU] = system_cpu,     [SOURCE_WALL] = system_wall,
	[SOURCE_USAGE] = system_usage, [SOURCE_STATM] = system_statm,
	[SOURCE_IO] = system_io,       [SOURCE_LOGICAL] = read_logical,
	[SOURCE_CLOCK] = read_clock,   [SOURCE_HEAP] = read_heap,
	[SOURCE_PERF] = read_perf,     [SOURCE_PAPI] = read_papi,
	[SOURCE_HEADROOM] = read_headroom,
};

static out_of_line void cannot_read(enum source source)
{
	if (__atomic_exchange_n(&metrics.said, true, __ATOMIC_RELAXED))
		return;
	for (uint32_t i = 0; i < metrics.n; i++)
		if (metrics.metric[i].source == source)
			message_print("metric %s cannot be read any more in a thread of process "
				      "%u: it keeps "
				      "its last value",
				      metrics.metric[i].name, process.pid);
}

/* A counter continues at the value that it had; a level is what it is now. */
static int64_t value_resumed(struct stream_metrics *s, uint32_t i, int64_t next)
{
	if (metrics.metric[i].flags & TAU_METRIC_LEVEL)
		return next;
	if (s->was_paused[i])
		s->skipped[i] = (int64_t)((uint64_t)next - (uint64_t)s->value[i]);
	s->was_paused[i] = false;
	return (int64_t)((uint64_t)next - (uint64_t)s->skipped[i]);
}

/* All values now. One that moves further than sums can hold stays. */
static void values_read(struct stream_metrics *s)
{
	int64_t raw[SOURCES][FIELDS];
	unsigned good = 0;
	int saved = errno;

	if (unlikely(__atomic_load_n(&metrics.paused, __ATOMIC_RELAXED))) {
		memcpy(s->next, s->value, sizeof(s->next));
		memset(s->was_paused, 1, sizeof(s->was_paused));
		return;
	}

	for (unsigned left = metrics.sources & ~(1u << SOURCE_READ); left; left &= left - 1) {
		enum source source = (enum source)__builtin_ctz(left);

		if (likely(readers[source](s, raw[source])))
			good |= 1u << source;
		else
			cannot_read(source);
	}
	for (uint32_t i = 0; i < metrics.n; i++) {
		const struct metric *m = &metrics.metric[i];
		int64_t next = s->value[i];
		uint64_t way;

		if (m->source == SOURCE_READ) {
			uint64_t (*read)(void) = __atomic_load_n(&m->read, __ATOMIC_ACQUIRE);

			if (read)
				next = value_resumed(s, i, read_program(s, i, read));
		} else if (good & 1u << m->source) {
			next = value_resumed(s, i, raw[m->source][m->field]);
		}
		way = next > s->value[i] ? (uint64_t)next - (uint64_t)s->value[i]
					 : (uint64_t)s->value[i] - (uint64_t)next;
		if (likely(way <= TRAVEL_LIMIT - s->travel[i]))
			s->travel[i] += way;
		else
			next = s->value[i];
		s->next[i] = next;
	}
	errno = saved;
}

void metric_pause(bool paused)
{
	__atomic_store_n(&metrics.paused, paused, __ATOMIC_RELAXED);
}

/* ---- threads ---- */

bool metric_equip(struct stream *s, size_t used)
{
	struct stream_metrics *m = s->metrics;
	int64_t *enter;

	if (!metrics.n)
		return true;
	if (!m)
		m = s->metrics = map_alloc(sizeof(*m));
	enter = m ? map_alloc(s->frame_cap * metrics.n * sizeof(*enter)) : NULL;
	if (!enter)
		return false;
	if (m->enter) {
		memcpy(enter, m->enter, used * metrics.n * sizeof(*enter));
		map_free(m->enter, m->enter_cap * metrics.n * sizeof(*enter));
	}
	m->enter = enter;
	m->enter_cap = s->frame_cap;
	return true;
}

void metric_attach(struct stream *s)
{
	struct stream_metrics *m = s->metrics;

	if (!metrics.n)
		return;
	if (metrics.perf_n && !m->perf.n && !perf_open(&m->perf, metrics.perf, metrics.perf_n))
		cannot_read(SOURCE_PERF);
	if (metrics.papi_n && !m->papi.n && !papi_start(&m->papi, metrics.papi, metrics.papi_n))
		cannot_read(SOURCE_PAPI);
}

void metric_detach(struct stream *s)
{
	if (!metrics.n)
		return;
	perf_close(&s->metrics->perf);
	papi_stop(&s->metrics->papi);
}

void metric_forget(struct stream *s)
{
	if (metrics.n && s->metrics)
		perf_close(&s->metrics->perf);
}

void metric_after_fork(void)
{
	if (metrics.papi_n)
		papi_after_fork();
}

/* ---- in the chunk ---- */

/* The definitions, first thing in a file. Column DEFS is empty, and has room for them. */
void metric_define(struct tau_live_header *live)
{
	uint8_t bytes[METRIC_NAME + 32], *p, *q = (uint8_t *)live->cur[TAU_DEFS];

	for (uint32_t i = 0; i < metrics.n; i++) {
		const struct metric *m = &metrics.metric[i];

		p = put_varint(bytes, i);
		p = put_varint(p, m->flags);
		p = put_string(p, m->name, strlen(m->name));
		p = put_string(p, m->unit, strlen(m->unit));
		q = put_varint(q, TAU_DEF_METRIC);
		q = put_varint(q, (uint64_t)(p - bytes));
		memcpy(q, bytes, (size_t)(p - bytes));
		q += p - bytes;
	}
	live->cur[TAU_DEFS] = (uint64_t)q;
}

uint8_t *metric_snapshot(uint8_t *p, struct stream *s, const struct frame *top)
{
	struct stream_metrics *m = s->metrics;

	values_read(m);
	memcpy(m->value, m->next, metrics.n * sizeof(*m->value));
	for (uint32_t i = 0; i < metrics.n; i++)
		p = put_zigzag(p, m->value[i]);
	for (const struct frame *f = s->frames; f < top; f++) {
		const int64_t *enter = &m->enter[(size_t)(f - s->frames) * metrics.n];

		for (uint32_t i = 0; i < metrics.n && frame_recorded(s, f); i++)
			p = put_zigzag(p, (int64_t)((uint64_t)m->value[i] - (uint64_t)enter[i]));
	}
	for (uint32_t i = 0; i < metrics.n && s->off_tick; i++)
		p = put_zigzag(p, (int64_t)((uint64_t)m->value[i] - (uint64_t)m->off[i]));
	return p;
}

bool metric_read(void)
{
	size_t room = metrics.n * 10 + MARGIN_ARGS;

	if (unlikely((uint8_t *)self.live->cur[TAU_ARGS] + room > self.args_end) &&
	    !chunk_room(0, room + MARGIN_ARGS))
		return false;
	values_read(self.stream->metrics);
	return true;
}

uint8_t *metric_put(uint8_t *p)
{
	struct stream_metrics *m = self.stream->metrics;

	for (uint32_t i = 0; i < metrics.n; i++) {
		p = put_zigzag(p, (int64_t)((uint64_t)m->next[i] - (uint64_t)m->value[i]));
		m->value[i] = m->next[i];
	}
	return p;
}

void metric_write(void)
{
	uint8_t *p = metric_put((uint8_t *)self.live->cur[TAU_ARGS]);

	barrier();
	self.live->cur[TAU_ARGS] = (uint64_t)p;
}

void metric_restore(const int64_t *value)
{
	memcpy(self.stream->metrics->value, value, metrics.n * sizeof(*value));
}

void metric_entered(size_t frame)
{
	struct stream_metrics *m = self.stream->metrics;

	memcpy(&m->enter[frame * metrics.n], m->value, metrics.n * sizeof(*m->value));
}

void metric_off(void)
{
	struct stream_metrics *m = self.stream->metrics;

	memcpy(m->off, m->value, metrics.n * sizeof(*m->value));
}

void metric_undo(const uint8_t *args, bool far)
{
	struct stream_metrics *m = self.stream->metrics;
	uint64_t v;

	for (uint32_t i = far ? UINT32_MAX : 0; i != metrics.n; i++) {
		v = 0;
		for (unsigned shift = 0;; shift += 7) {
			v |= (uint64_t)(*args & 0x7f) << shift;
			if (!(*args++ & 0x80))
				break;
		}
		if (i != UINT32_MAX)
			m->value[i] = (int64_t)((uint64_t)m->value[i] - (v >> 1 ^ (0 - (v & 1))));
	}
}

uint64_t metric_cost_ps(void)
{
	enum { TIMES = 20 };
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	for (int i = 0; metrics.n && i < TIMES; i++)
		values_read(self.stream->metrics);
	return metrics.n ? (clock_ns(CLOCK_MONOTONIC) - begin) * 1000 / TIMES : 0;
}

/* Metrics that the program should have set and did not are 0 everywhere: the trace notes this. */
void metric_end(void)
{
	char text[1024] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < metrics.n && at + METRIC_NAME + 2 < sizeof(text); i++)
		if (metrics.metric[i].source == SOURCE_READ && !metrics.metric[i].read)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? ", " : "",
					       metrics.metric[i].name);
	if (at)
		define_meta(TAU_META_METRICS_NOT_PROVIDED, text);
}
