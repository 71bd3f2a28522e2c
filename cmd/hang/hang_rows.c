/* hang_rows.c: what threads wait for in words; threads with the same words, and the same call path, are one row. */
#include "cmd/hang/hang_rows.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/hang/ends.h"
#include "analyze/trace/event_fields.h"

#define FILE_UNKNOWN "unknown"	/* the name of a file whose name is not known */
#define PARTS_MOST 8	/* of a list of ranks in a cell */

const char *hang_call_name(const struct thread_ends *x, size_t thread)
{
	const struct ends_thread *t = &x->thread[thread];
	size_t at = t->call < t->region_n ? t->call : t->region_n ? t->region_n - 1 : 0;

	return t->region_n ? x->trace->region[t->region[at]].name : REGION_ROOT;
}

/* ---- words ---- */

static int by_node(const void *va, const void *vb, void *to)
{
	const struct trace *t = to;
	int32_t a = t->process[*(const uint32_t *)va].node;
	int32_t b = t->process[*(const uint32_t *)vb].node;

	return (a > b) - (a < b);
}

char *hang_nodes_text(const struct trace *t, const uint32_t *process, size_t n, size_t most)
{
	uint32_t *sorted = mem_resize(NULL, n + 1, sizeof(*sorted));
	size_t size, parts = 0, i = 0;
	char *text = NULL;
	FILE *f;

	if (n)
		memcpy(sorted, process, n * sizeof(*sorted));
	qsort_r(sorted, n, sizeof(*sorted), by_node, (void *)(uintptr_t)t);
	f = mem_stream(&text, &size);
	while (i < n && parts < most) {
		int32_t from = t->process[sorted[i]].node, to = from;

		for (i++; i < n && t->process[sorted[i]].node <= to + 1; i++)
			to = t->process[sorted[i]].node;
		fprintf(f, "%s%" PRId32, parts++ ? ", " : "", from);
		if (to > from)
			fprintf(f, "%s%" PRId32, to == from + 1 ? ", " : "-", to);
	}
	if (i < n)
		fprintf(f, " and %zu more", n - i);
	fclose(f);
	free(sorted);
	return text;
}

/* How a rank is named in a row: by its number, or (beside) by its distance, so that equal distances have equal words. */
static char *peer_text(const struct thread_ends *x, const struct ends_thread *t, int64_t peer,
		       int beside)
{
	const struct trace_process *p = &x->trace->process[t->process];

	if (peer < 0)
		return mem_string("any rank");
	if (!beside || p->rank < 0 || p->rank >= p->size || peer >= p->size)
		return mem_printf("rank %" PRId64, peer);
	return mem_printf("rank + %" PRId64, (peer - p->rank + p->size) % p->size);
}

static const char *comm_name(const struct trace *t, uint32_t comm)
{
	return comm < t->comm_n ? t->comm[comm].name : "world";
}

static void print_message(FILE *f, const struct thread_ends *x, const struct ends_thread *t,
			  const struct ends_wait *w, int beside)
{
	char *peer = peer_text(x, t, w->peer, beside);

	if (w->kind == ENDS_SEND)
		fprintf(f, "%s to receive, tag %" PRId64, peer, w->tag);
	else if (w->tag < 0)
		fprintf(f, "a message from %s, any tag", peer);
	else
		fprintf(f, "a message from %s, tag %" PRId64, peer, w->tag);
	if (w->comm < x->trace->comm_n)
		fprintf(f, ", %s", comm_name(x->trace, w->comm));
	free(peer);
}

static void print_members(FILE *f, const struct hang *h, size_t thread, const struct ends_wait *w)
{
	const struct hang_thread *s = &h->thread[thread];
	const struct trace *t = h->ends->trace;
	char *nodes = hang_nodes_text(t, s->missing, s->missing_n, PARTS_MOST);
	const char *which = w->begun ? event_coll_name[w->op] : "it";

	if (s->missing_n)
		fprintf(f, "rank%s %s to enter %s", s->missing_n == 1 ? "" : "s", nodes, which);
	else
		fprintf(f, "the end of %s: all members have entered", which);
	if (w->comm < t->comm_n)
		fprintf(f, ", %s", comm_name(t, w->comm));
	free(nodes);
}

static void print_lock(FILE *f, const struct trace *t, const struct ends_wait *w)
{
	const struct trace_lock *l = t->event[w->lock].lock;

	fprintf(f, "%s %s", l->kind, l->name);
	if (w->peer >= 0)
		fprintf(f, ", which thread %" PRId64 " has", w->peer);
}

/* "write lock of /tmp/a, bytes 0-99, which rank 3 has" */
static void print_file_lock(FILE *f, const struct trace *t, const struct ends_wait *w,
			    const char *name)
{
	fprintf(f, "%s: %s", event_file_wait_name[w->lock_kind], name);
	if (w->lock_kind < EVENT_FILE_SHARED_LOCK && w->bytes)
		fprintf(f, ", bytes %" PRIu64 "-%" PRIu64, w->first, w->first + w->bytes - 1);
	else if (w->lock_kind < EVENT_FILE_SHARED_LOCK && w->first)
		fprintf(f, ", bytes from %" PRIu64, w->first);
	if (w->peer >= 0 && t->process[w->peer].rank >= 0)
		fprintf(f, ", which rank %" PRId32 " has", t->process[w->peer].node);
	else if (w->peer >= 0)
		fprintf(f, ", which process %" PRId32 " has", t->process[w->peer].node);
	else if (w->pid)
		fprintf(f, ", which process number %" PRId64 " of the system has", w->pid);
}

static void print_file(FILE *f, const struct trace *t, const struct ends_wait *w)
{
	const char *name = w->file < t->event_n ? t->event[w->file].name : FILE_UNKNOWN;
	int named = strcmp(name, FILE_UNKNOWN) != 0;

	if (w->lock_kind != EVENT_FILE_CALL) {
		print_file_lock(f, t, w, named ? name : "a file");
		return;
	}
	fputs(named && !w->before ? name : "a file", f);
	if (named && w->before)
		fprintf(f, "; its last such call was for %s", name);
}

static void print_wait(FILE *f, const struct hang *h, size_t thread, const struct ends_wait *w,
		       int beside)
{
	const struct thread_ends *x = h->ends;
	char *peer;

	switch (w->kind) {
	case ENDS_RECEIVE:
	case ENDS_SEND:
		print_message(f, x, &x->thread[thread], w, beside);
		break;
	case ENDS_MEMBERS:
		print_members(f, h, thread, w);
		break;
	case ENDS_WINDOW:
		peer = peer_text(x, &x->thread[thread], w->peer, beside);
		fprintf(f, "access to the window of %s", peer);
		free(peer);
		break;
	case ENDS_MEMORY:
		fputs("another rank to change memory of this one", f);
		break;
	case ENDS_LOCK:
		print_lock(f, x->trace, w);
		break;
	case ENDS_THREADS:
		fputs("other threads of its process", f);
		break;
	case ENDS_CHILD:
		if (w->peer < 0)
			fputs("the end of a process that is not recorded", f);
		else
			fprintf(f, "the end of process %" PRId32, x->trace->process[w->peer].node);
		break;
	case ENDS_FILE:
		print_file(f, x->trace, w);
		break;
	case ENDS_UNKNOWN:
		fputs("not known", f);
		break;
	}
}

#define WAITS_MOST 4	/* of one call in a cell */

static char *waits_text(const struct hang *h, size_t thread, int beside)
{
	const struct ends_thread *t = &h->ends->thread[thread];
	char *text = NULL;
	size_t size, rest;
	FILE *f = mem_stream(&text, &size);

	for (size_t i = 0; i < t->wait_n && i < WAITS_MOST; i++) {
		fputs(!i ? "" : t->any ? "; or " : "; and ", f);
		print_wait(f, h, thread, &t->wait[i], beside);
	}
	rest = t->rest + (t->wait_n > WAITS_MOST ? t->wait_n - WAITS_MOST : 0);
	if (rest && t->wait[0].kind != ENDS_UNKNOWN)
		fprintf(f, "; and %zu more", rest);
	fclose(f);
	return text;
}

/* ---- rows ---- */

int64_t hang_row_age(const struct hang *h, size_t thread)
{
	const struct ends_thread *t = &h->ends->thread[thread];
	const struct trace_process *p = &h->ends->trace->process[t->process];

	if (p->running || p->ended != TRACE_END_UNKNOWN || h->thread[thread].state == HANG_ENDED)
		return 0;
	return h->ends->trace->stream[t->stream].age;
}

static void row_add(struct hang_row *row, const struct hang *h, size_t thread)
{
	int64_t ns = ends_until(h->ends, thread) - h->thread[thread].since;
	int64_t age = hang_row_age(h, thread);

	if (!row->process_n)
		row->least = row->most = ns;
	row->least = ns < row->least ? ns : row->least;
	row->most = ns > row->most ? ns : row->most;
	row->age = age > row->age ? age : row->age;
	*array_add(row, process) = h->ends->thread[thread].process;
}


int hang_row_stopped(const struct hang *h, size_t thread)
{
	return h->thread[thread].state != HANG_ENDED &&
	       h->ends->trace->process[h->ends->thread[thread].process].stopped;
}

/* The row that a thread belongs to: made if there is none. */
static struct hang_row *row_of(struct hang_rows *x, struct names *keys, const struct hang *h,
			       size_t thread, char *waits_for, char *path)
{
	char *key = mem_printf("%d %d %u\n%s\n%s", h->thread[thread].state,
			       hang_row_stopped(h, thread),
			       h->ends->trace->stream[h->ends->thread[thread].stream].thread,
			       waits_for, path);
	int64_t at = names_find(keys, key, strlen(key));

	if (at < 0) {
		names_add(keys, key, strlen(key));
		*array_add(x, v) = (struct hang_row){.first = thread,
						     .waits_for = mem_string(waits_for),
						     .path = mem_string(path)};
		at = (int64_t)x->v_n - 1;
	}
	free(key);
	return &x->v[at];
}

static void row_release(struct hang_row *row)
{
	free(row->process);
	free(row->waits_for);
	free(row->path);
}

static void rows_fill(struct hang_rows *x, const struct hang *h, const struct hang_style *s,
		      const size_t *thread, size_t n, int beside)
{
	struct names keys = {0};

	for (size_t i = 0; i < n; i++) {
		char *waits_for = waits_text(h, thread[i], beside);
		const struct ends_thread *t = &h->ends->thread[thread[i]];
		char *path = hang_style_path(s, t->region, t->region_n);

		row_add(row_of(x, &keys, h, thread[i], waits_for, path), h, thread[i]);
		free(waits_for);
		free(path);
	}
	names_release(&keys);
}

static int by_state(const void *va, const void *vb, void *to)
{
	const struct hang_row *a = va, *b = vb;
	const struct hang *h = to;
	const struct trace *t = h->ends->trace;
	int32_t m = t->process[a->process[0]].node, n = t->process[b->process[0]].node;
	enum hang_state x = h->thread[a->first].state, y = h->thread[b->first].state;

	if (x != y)
		return x > y ? -1 : 1;
	if (m != n)
		return m < n ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static int is_first(const struct hang *h, size_t i)
{
	return !h->ends->trace->stream[h->ends->thread[i].stream].thread;
}

/* Not a thread that has ended before others of its process. */
static int is_relevant(const struct hang *h, size_t i)
{
	return h->thread[i].state != HANG_ENDED ||
	       (h->ends->ended[h->ends->thread[i].process] && is_first(h, i));
}

/* Such as a thread of the MPI library. */
static int is_idle(const struct hang *h, size_t i)
{
	return h->thread[i].state == HANG_RUNS && !h->ends->thread[i].region_n && !is_first(h, i);
}

/* Rows of one thread each, whose words differ by the number of a rank only, become one by its distance. */
static void rows_join(struct hang_rows *x, const struct hang *h, const struct hang_style *s)
{
	struct hang_rows alone = {0}, kept = {0};
	size_t *thread = mem_resize(NULL, x->v_n + 1, sizeof(*thread)), n = 0;

	for (size_t i = 0; i < x->v_n; i++) {
		if (x->v[i].process_n == 1) {
			thread[n++] = x->v[i].first;
			row_release(&x->v[i]);
		} else {
			*array_add(&kept, v) = x->v[i];
		}
	}
	rows_fill(&alone, h, s, thread, n, 1);
	for (size_t i = 0; i < alone.v_n; i++) {
		if (alone.v[i].process_n == 1) {
			free(alone.v[i].waits_for);
			alone.v[i].waits_for = waits_text(h, alone.v[i].first, 0);
		}
		*array_add(&kept, v) = alone.v[i];
	}
	free(alone.v);
	free(x->v);
	free(thread);
	kept.idle = x->idle;
	*x = kept;
}

void hang_rows_make(struct hang_rows *x, const struct hang *h, const struct hang_style *s)
{
	size_t *thread = mem_resize(NULL, h->ends->thread_n + 1, sizeof(*thread)), n = 0;

	*x = (struct hang_rows){0};
	for (size_t i = 0; i < h->ends->thread_n; i++) {
		if (s->text && is_relevant(h, i) && is_idle(h, i))
			x->idle++;
		else if (is_relevant(h, i))
			thread[n++] = i;
	}
	rows_fill(x, h, s, thread, n, 0);
	rows_join(x, h, s);
	for (size_t i = 0; i < x->v_n; i++)
		qsort_r(x->v[i].process, x->v[i].process_n, sizeof(uint32_t), by_node,
			(void *)(uintptr_t)s->trace);
	qsort_r(x->v, x->v_n, sizeof(*x->v), by_state, (void *)(uintptr_t)h);
	free(thread);
}

void hang_rows_release(struct hang_rows *x)
{
	for (size_t i = 0; i < x->v_n; i++)
		row_release(&x->v[i]);
	free(x->v);
}
