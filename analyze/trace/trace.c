/* trace.c: what all trace readers share: notes, numbers of nodes, and freeing a trace. */
#include "analyze/trace/trace.h"
#include "record/metadata.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trace_note(struct trace *t, struct note about, const char *format, ...)
{
	struct error text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	about.text = text.text;
	*array_add(t, note) = note_copy(&about);
}

void trace_late_note(struct trace *t, const struct trace_stream *stream, struct note about,
		     const char *format, ...)
{
	struct error text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	about.text = text.text;
	about.stream = stream ? (size_t)(stream - t->stream) + 1 : 0;
	pthread_mutex_lock(&t->lock);
	array_add(t, late)->note = note_copy(&about);
	pthread_mutex_unlock(&t->lock);
}

void trace_text(struct trace *t, char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (unsigned char)s[i] >= ' ')
		i++;
	if (i == n)
		return;
	names_add(&t->blanked, s, n);
	for (; i < n; i++)
		if ((unsigned char)s[i] < ' ')
			s[i] = ' ';
}

void trace_text_note(struct trace *t)
{
	if (t->blanked.name_n)
		trace_note(t, (struct note){.kind = NOTE_DEFINITIONS},
			   "%s: %zu name%s control characters, replaced by blanks", t->path,
			   t->blanked.name_n, t->blanked.name_n == 1 ? " has" : "s have");
}

void trace_over(struct trace *t, const struct trace_stream *stream, const char *kind, uint64_t n)
{
	uint64_t key;
	uint32_t at;

	pthread_mutex_lock(&t->lock);
	key = (uint64_t)(stream - t->stream) << 16 | names_add(&t->over_kind, kind, strlen(kind));
	at = map_get(&t->over_at, key);
	if (at == MAP_NONE) {
		at = (uint32_t)t->over_n;
		map_set(&t->over_at, key, at);
		*array_add(t, over) = (struct trace_over){(uint32_t)(key & 0xffff), 0};
	}
	if (n > t->over[at].n)
		t->over[at].n = n;
	pthread_mutex_unlock(&t->lock);
}

static int text_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *trace_over_text(const struct trace *t)
{
	size_t kinds = t->over_kind.name_n;
	uint64_t *n = mem_alloc((kinds + 1) * sizeof(*n));
	char **part = mem_alloc((kinds + 1) * sizeof(*part)), *text = NULL;

	for (size_t i = 0; i < t->over_n; i++)
		n[t->over[i].kind] += t->over[i].n;
	for (size_t k = 0; k < kinds; k++)
		part[k] = mem_printf("%s (%llu)", t->over_kind.name[k], (unsigned long long)n[k]);
	if (kinds)
		qsort(part, kinds, sizeof(*part), text_compare);
	for (size_t k = 0; k < kinds; k++) {
		char *more = mem_printf("%s%s%s", text ? text : "", text ? ", " : "", part[k]);

		free(text);
		free(part[k]);
		text = more;
	}
	free(part);
	free(n);
	return text;
}

/* Notes of one stream stay in their order; notes of no stream follow, ordered by their text. */
static int late_compare(const void *va, const void *vb)
{
	const struct trace_late_note *a = va, *b = vb;
	int order = a->note.stream || b->note.stream ? 0 : strcmp(a->note.text, b->note.text);

	if (a->note.stream != b->note.stream) /* 0: no stream, comes last */
		return a->note.stream - 1 < b->note.stream - 1 ? -1 : 1;
	return order ? order : (a->order > b->order) - (a->order < b->order);
}

void trace_settle(struct trace *t)
{
	for (size_t i = 0; i < t->late_n; i++)
		t->late[i].order = i;
	if (t->late_n)
		qsort(t->late, t->late_n, sizeof(*t->late), late_compare);
	for (size_t i = 0; i < t->late_n; i++)
		*array_add(t, note) = t->late[i].note;
	t->late_n = 0;
}

void trace_reach(struct trace *t, int64_t ns)
{
	int64_t end = __atomic_load_n(&t->end, __ATOMIC_RELAXED);

	while (ns >= end && !__atomic_compare_exchange_n(&t->end, &end, ns + 1, 0, __ATOMIC_RELAXED,
							 __ATOMIC_RELAXED))
		;
}

struct trace *trace_new(const char *path, const struct trace_ops *ops)
{
	struct trace *t = mem_alloc(sizeof(*t));

	t->path = mem_string(path);
	t->ops = ops;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

/* Order of start, then of rank and pid, so that numbering does not depend on directory order. */
static int process_compare(const void *va, const void *vb)
{
	const struct trace_process *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int stream_compare(const void *va, const void *vb)
{
	const struct trace_stream *a = va, *b = vb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return strcmp(a->name, b->name);
}

uint32_t trace_process_number(const char *node)
{
	char *end;
	long long n = strtoll(node, &end, 10);

	return *node && !*end && n >= 0 && n < INT32_MAX ? (uint32_t)n + 1 : 0;
}

/* Gives the process a number that no process before it has. */
static void node_number(struct trace_process *q, int64_t node, struct map *taken, int64_t *next)
{
	if (node < 0 || q->node >= 0 || map_get(taken, (uint64_t)node) != MAP_NONE)
		return;
	q->node = (int32_t)node;
	map_set(taken, (uint64_t)node, 0);
	if (node >= *next)
		*next = node + 1;
}

/*
 * A process gets its rank as node, if no process before it has the same rank; the others keep the
 * number of the original trace, or follow after the ranks.
 */
static void nodes_number(struct trace *t)
{
	struct map taken = {0};
	int64_t next = 0;

	for (size_t p = 0; p < t->process_n; p++) {
		t->process[p].node = -1;
		if (!t->process[p].number)
			node_number(&t->process[p], t->process[p].rank, &taken, &next);
	}
	for (size_t p = 0; p < t->process_n; p++)
		node_number(&t->process[p], (int64_t)t->process[p].number - 1, &taken, &next);
	for (size_t p = 0; p < t->process_n; p++)
		if (t->process[p].node < 0)
			t->process[p].node = (int32_t)next++;
	map_release(&taken);
}

/* The ranks of the job. */
struct trace_job {
	int whole;		/* all ranks are in the trace */
	int64_t size, start;	/* number of ranks; start of the first one */
};

static struct trace_job job_find(const struct trace *t)
{
	struct trace_job job = {.start = INT64_MAX};
	struct map ranks = {0};

	for (size_t p = 0; p < t->process_n; p++)
		if (t->process[p].rank >= 0) {
			map_set(&ranks, (uint64_t)t->process[p].rank, 0);
			if (job.size < t->process[p].size)
				job.size = t->process[p].size;
			if (job.start > t->process[p].start)
				job.start = t->process[p].start;
		}
	job.whole = job.size > 0 && ranks.n == (size_t)job.size;
	map_release(&ranks);
	return job;
}

/* Is it the daemon that MPI_Init of Open MPI starts in a program that no launcher started? */
static int is_daemon(const struct trace_process *p)
{
	static const char *const daemons[] = {"orted", "prted"};
	const char *path = trace_process_meta(p, TAU_META_EXECUTABLE);
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

	for (size_t i = 0; name && i < sizeof(daemons) / sizeof(*daemons); i++)
		if (!strcmp(name, daemons[i]))
			return 1;
	return 0;
}

/*
 * Is a process without a rank a script, a daemon, or a child of a rank? In a job of one rank, what
 * started later does work of its own: the processes of Python's multiprocessing in a program that
 * imports mpi4py.
 */
static int is_no_pe(const struct trace_job *job, const struct trace_process *p)
{
	return job->whole && p->rank < 0 &&
	       (job->size > 1 || p->start < job->start || is_daemon(p));
}

static int by_image(const void *va, const void *vb)
{
	const struct trace_process *a = *(struct trace_process *const *)va,
				   *b = *(struct trace_process *const *)vb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (strcmp(a->host, b->host) != 0)
		return strcmp(a->host, b->host);
	return (a->start > b->start) - (a->start < b->start);
}

/*
 * Did the process run the program p first, and q after exec? Two processes in containers on one
 * host may have equal pids, but they run at once or have different ranks.
 */
static int is_before(const struct trace_process *p, const struct trace_process *q)
{
	int at_once = q->start > p->start && q->start < p->end && !p->running;

	return !at_once && (p->rank < 0 || q->rank < 0 || p->rank == q->rank);
}

/* Marks those that another one of v, in the order of by_image(), was later. */
static void images_mark(struct trace_process **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n && !v[i]->no_pe && v[k]->pid == v[i]->pid &&
				       !strcmp(v[k]->host, v[i]->host);
		     k++)
			v[i]->no_pe = is_before(v[i], v[k]);
}

static void pes_find(struct trace *t)
{
	struct trace_process **v = mem_alloc((t->process_n + 1) * sizeof(*v));
	struct trace_job job = job_find(t);
	size_t n = 0;

	for (size_t p = 0; p < t->process_n; p++) {
		/* Archives of other formats have no process numbers, but may have this. */
		t->process[p].no_pe = is_no_pe(&job, &t->process[p]) ||
				      trace_process_meta(&t->process[p], TAU_META_NOT_A_PE);
		if (t->process[p].pid && t->process[p].host)
			v[n++] = &t->process[p];
	}
	if (n)
		qsort(v, n, sizeof(struct trace_process *), by_image);
	images_mark(v, n);
	free(v);
}

size_t trace_pes(const struct trace *t)
{
	size_t n = 0;

	for (size_t p = 0; p < t->process_n; p++)
		n += t->process[p].stream_n && !t->process[p].no_pe;
	return n;
}

uint64_t trace_lost(const struct trace *t)
{
	uint64_t lost = 0;

	for (size_t s = 0; s < t->stream_n; s++)
		lost += t->stream[s].lost;
	for (size_t p = 0; p < t->process_n; p++)
		lost += t->process[p].lost;
	return lost;
}

void trace_number(struct trace *t)
{
	uint64_t *id = mem_alloc((t->process_n + 1) * sizeof(*id));
	struct map now = {0};

	/*
	 * Streams refer to their process by index: use the unique id to find it again after the
	 * sort.
	 */
	for (size_t p = 0; p < t->process_n; p++)
		id[p] = t->process[p].id;
	if (t->process_n)
		qsort(t->process, t->process_n, sizeof(*t->process), process_compare);
	for (size_t p = 0; p < t->process_n; p++)
		map_set(&now, t->process[p].id, (uint32_t)p);
	for (size_t s = 0; s < t->stream_n; s++)
		t->stream[s].process = map_get(&now, id[t->stream[s].process]);
	if (t->stream_n)
		qsort(t->stream, t->stream_n, sizeof(*t->stream), stream_compare);
	for (size_t s = 0; s < t->stream_n; s++)
		*array_add(&t->process[t->stream[s].process], stream) = (uint32_t)s;
	nodes_number(t);
	pes_find(t);
	free(id);
	map_release(&now);
}

const char *trace_process_meta(const struct trace_process *p, const char *name)
{
	for (size_t i = 0; i < p->meta_n; i++)
		if (!strcmp(p->meta[i].name, name))
			return p->meta[i].value;
	return NULL;
}

double trace_process_meta_number(const struct trace_process *p, const char *name)
{
	for (size_t i = p->meta_n; i > 0; i--)
		if (!strcmp(p->meta[i - 1].name, name)) {
			const char *value = p->meta[i - 1].value;
			char *end;
			double v = strtod(value, &end);

			return end == value ? NAN : v;
		}
	return NAN;
}

double trace_process_meta_sum(const struct trace_process *p, const char *name)
{
	double sum = NAN;

	for (size_t i = 0; i < p->meta_n; i++)
		if (!strcmp(p->meta[i].name, name))
			sum = (isnan(sum) ? 0 : sum) + strtod(p->meta[i].value, NULL);
	return sum;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	if (t->ops)
		t->ops->free(t);
	for (size_t p = 0; p < t->process_n; p++) {
		for (size_t m = 0; m < t->process[p].meta_n; m++) {
			free(t->process[p].meta[m].name);
			free(t->process[p].meta[m].value);
		}
		free(t->process[p].meta);
		free(t->process[p].stream);
		free(t->process[p].host);
	}
	for (size_t s = 0; s < t->stream_n; s++) {
		free(t->stream[s].name);
		free(t->stream[s].label);
	}
	for (size_t r = 0; r < t->region_n; r++) {
		free(t->region[r].name);
		free(t->region[r].groups);
		free(t->region[r].file);
	}
	for (size_t i = 0; i < t->event_n; i++) {
		if (t->event[i].lock) {
			free(t->event[i].lock->kind);
			free(t->event[i].lock->name);
			free(t->event[i].lock->place);
			free(t->event[i].lock);
		}
		free(t->event[i].name);
	}
	for (size_t i = 0; i < t->metric_n; i++)
		free(t->metric[i].name);
	for (size_t i = 0; i < t->comm_n; i++) {
		free(t->comm[i].name);
		free(t->comm[i].rank);
	}
	for (size_t i = 0; i < t->memtype_n; i++) {
		free(t->memtype[i].name);
		free(t->memtype[i].library);
		free(t->memtype[i].site);
		free(t->memtype[i].file);
	}
	trace_settle(t);
	notes_free(t->note, t->note_n);
	free(t->late);
	free(t->over);
	map_release(&t->over_at);
	names_release(&t->over_kind);
	names_release(&t->blanked);
	pthread_mutex_destroy(&t->lock);
	free(t->process);
	free(t->stream);
	free(t->region);
	free(t->event);
	free(t->metric);
	free(t->comm);
	free(t->memtype);
	free(t->call);
	free(t->path);
	free(t);
}

int trace_stream_read(struct trace *t, uint32_t stream, int64_t from,
		      void (*receive)(void *to, const struct event_batch *b), void *to,
		      struct error *e)
{
	struct trace_cursor *c;
	struct event_batch *b;
	int code = t->ops->open(t, stream, from, &c, e);

	if (code < 0)
		return code;
	while ((code = t->ops->next(c, &b, e)) > 0)
		receive(to, b);
	t->ops->close(c);
	return code;
}

int trace_event_is_team(const struct trace_event *e)
{
	return e->lock && !strcmp(e->lock->kind, TAU_LOCK_TEAM);
}
