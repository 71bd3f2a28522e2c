/* native_ends.c: what became of each process of a run, from the table that tau-record keeps, and the closing line of the run. */
#include "convert/native/live/native_ends.h"
#include "analyze/base/quantity.h"
#include "convert/native/live/native_kept.h"
#include "convert/native/native_run.h"
#include "convert/native/file/run_files.h"
#include "convert/native/live/run_processes.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/metadata.h"

#define SHOWN 10	/* processes named; the others are counted */
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* ---- the closing line ---- */

static int by_pid(const void *a, const void *b)
{
	const struct trace_process *x = *(const struct trace_process *const *)a,
				   *y = *(const struct trace_process *const *)b;

	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1)
				: strcmp(x->host ? x->host : "", y->host ? y->host : "");
}

/* "2 processes": each program that one has become by execve() is one of the trace's. */
static const char *processes(const struct trace *t, char out[64])
{
	const struct trace_process **p = mem_alloc((t->process_n + 1) * sizeof(*p));
	size_t n = 0;

	for (size_t i = 0; i < t->process_n; i++)
		p[i] = &t->process[i];
	qsort(p, t->process_n, sizeof(*p), by_pid);
	for (size_t i = 0; i < t->process_n; i++)
		n += i == 0 || by_pid(&p[i - 1], &p[i]) != 0;
	free(p);
	if (n == t->process_n)
		snprintf(out, 64, "%zu process%s", n, n == 1 ? "" : "es");
	else
		snprintf(out, 64, "%zu process%s (%zu program images)", n, n == 1 ? "" : "es",
			 t->process_n);
	return out;
}

/* A thread that has not ended when its process does, or records after, leaves its last chunk in a live file; "" without any. */
static const char *live_files(const struct paths *live, char out[96])
{
	struct stat st;
	double bytes = 0;
	size_t n = 0;
	char text[QUANTITY_TEXT];

	for (size_t i = 0; i < live->path_n; i++) {
		if (stat(live->path[i], &st))
			continue;
		bytes += (double)st.st_size;
		n++;
	}
	*out = 0;
	if (n)
		snprintf(out, 96, " and %s in %zu .live file%s", quantity_size_text(bytes, text), n,
			 plural(n));
	return out;
}

char *native_totals(const struct trace *t)
{
	const struct native_run *run = t->reader;
	unsigned long long events = 0;
	char bytes[QUANTITY_TEXT], live[96], count[64];

	for (size_t s = 0; s < t->stream_n; s++)
		events += t->stream[s].records;
	return mem_printf("%s, %llu event%s, %s%s, %llu lost", processes(t, count), events,
			  plural(events), quantity_size_text((double)t->bytes_total, bytes),

			  live_files(&run->live, live), (unsigned long long)trace_lost(t));
}

/* ---- processes that did not end by themselves ---- */

/* A row of the table, and the process of the trace that it describes. */
struct end {
	const struct tau_process_row *row;
	struct trace_process *process;	/* of the trace, the last program that it was; NULL: nothing was recorded */
	int closed;			/* it was recorded to its end, whatever the row holds */
	enum run_process_life life;
};

/* The last program of the process with this number on this host. */
static struct trace_process *process_of(const struct trace *t, const struct tau_process_row *row)
{
	struct trace_process *found = NULL;

	for (size_t i = 0; i < t->process_n; i++) {
		struct trace_process *p = &t->process[i];

		if (p->pid == row->pid && p->host && !strcmp(p->host, row->host) &&
		    (!found || p->start >= found->start))
			found = p;
	}
	return found;
}

/* The recorder closed the first stream of the process: the program came to its end. */
static int is_closed(const struct trace *t, const struct trace_process *p)
{
	for (size_t s = 0; p && s < p->stream_n; s++) {
		const struct native_stream *n = t->stream[p->stream[s]].reader;

		if (n->file->head.thread == 0)
			return n->file->closed && !n->file->left;
	}
	return 0;
}

/* Did the recorder switch itself off before the end of the process? */
static int is_stopped(const struct trace *t, const struct trace_process *p)
{
	for (size_t s = 0; s < p->stream_n; s++) {
		const struct native_stream *n = t->stream[p->stream[s]].reader;

		if (n->file->stopped || n->file->damage)
			return 1;
	}
	return 0;
}

/* Did it end together with its tau-record, which noted now and then that it ran? Or it may have, on another host. */
static int was_seen(const struct end *x)
{
	return x->row->state == TAU_PROCESS_STARTED && x->life != RUN_PROCESS_RUNS &&
	       x->row->end_real_ns;
}

/*
 * Until when the process lived. Of several that were killed together with their tau-records, as a whole job is, the last note
 * counts, if it is not later than the next of this one would have been.
 */
static uint64_t ended_real_ns(const struct end *x, uint64_t noted)
{
	if (!was_seen(x) || noted > run_seen_due(x->row) + RUN_SEEN_NS)
		return x->row->end_real_ns;
	return noted;
}

/* The begin of the run by the clock of the process's host, which the row has, too; 0: unknown. */
static int64_t wall_of(const struct trace *t, const struct trace_process *p)
{
	const struct native_run *run = t->reader;
	const struct native_stream *n = p->stream_n ? t->stream[p->stream[0]].reader : NULL;

	return n ? run->clock[n->clock].wall : 0;
}

/* What was open when the process was killed, or called _exit(), was open until then, not until its last event. */
static void end_reach(struct trace *t, const struct end *x, uint64_t noted)
{
	struct trace_process *p = x->process;
	uint64_t real_ns = ended_real_ns(x, noted);
	int64_t wall = wall_of(t, p), end = (int64_t)real_ns - wall;

	if (x->closed || !real_ns || real_ns >> 62 || !wall || end <= p->end || is_stopped(t, p))
		return;
	p->end = end;
	trace_reach(t, end);
}

/* noted: when tau-records that were killed noted last that their programs ran, ns since 1970. */
static void end_set(struct trace *t, const struct end *x, uint64_t noted)
{
	struct trace_process *p = x->process;

	if (!p || x->life == RUN_PROCESS_RUNS)
		return;
	end_reach(t, x, noted);
	if (x->life != RUN_PROCESS_ENDED)
		return;
	p->end_value = x->row->state == TAU_PROCESS_STARTED ? 0 : (int)x->row->value;
	if (x->row->state == TAU_PROCESS_EXITED)
		p->ended = TRACE_END_EXITED;
	else if (x->row->state == TAU_PROCESS_KILLED || !x->closed)
		p->ended = TRACE_END_KILLED;
}

/* All rows with what the trace has of each, the first to end first. */
static struct end *ends_of(const struct trace *t, const struct run_processes *table)
{
	struct end *x = mem_alloc((table->row_n + 1) * sizeof(*x));

	for (size_t i = 0; i < table->row_n; i++) {
		x[i].row = &table->row[i];
		x[i].process = process_of(t, &table->row[i]);
		x[i].closed = is_closed(t, x[i].process);
		x[i].life = run_process_life(&table->row[i]);
	}
	return x;
}

/* A row without an end comes last. */
static int by_end(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	uint64_t m = x->row->end_real_ns - 1, n = y->row->end_real_ns - 1;

	if (m != n)
		return m < n ? -1 : 1;
	return x->row->pid < y->row->pid ? -1 : x->row->pid > y->row->pid;
}

static const char *signal_text(unsigned number, char out[32])
{
	const char *name = number < 65 ? sigabbrev_np((int)number) : NULL;

	if (name)
		snprintf(out, 32, "SIG%s", name);
	else
		snprintf(out, 32, "signal %u", number);
	return out;
}

/*
 * How the process ended; "": by itself, or it still runs. failed: exit statuses other than 0 are
 * included.
 */
static const char *fate(const struct end *x, int failed, char out[96])
{
	char name[32];

	*out = 0;
	if (x->life == RUN_PROCESS_RUNS || (x->row->state == TAU_PROCESS_STARTED && x->closed))
		return out;
	if (x->life == RUN_PROCESS_UNKNOWN && run_process_spawned(x->row))
		snprintf(out, 96, "still runs, or was killed");
	else if (x->life == RUN_PROCESS_UNKNOWN)
		snprintf(out, 96, "still runs, or was killed together with its tau-record");
	else if (run_process_spawned(x->row))
		snprintf(out, 96, "was killed or called _exit(); MPI started it, so its status is "
				  "unknown");
	else if (x->row->state == TAU_PROCESS_STARTED)
		snprintf(out, 96, "was killed together with its tau-record");
	else if (x->row->state == TAU_PROCESS_KILLED)
		snprintf(out, 96, "was killed by %s", signal_text(x->row->value, name));
	else if (failed && x->row->value)
		snprintf(out, 96, "exited with status %u", x->row->value);
	return out;
}

static char *fate_sentence(const struct trace *t, const struct end *x, const char *what)
{
	int64_t rank = x->process && x->process->rank >= 0 ? x->process->rank : x->row->rank;
	const char *nothing = x->process ? "" : "; nothing of it was recorded";

	if (rank >= 0)
		return mem_printf("%s: rank %lld (host %s, process %u) %s%s", t->path,
				  (long long)rank, x->row->host, x->row->pid, what, nothing);
	return mem_printf("%s: process %u (host %s) %s%s", t->path, x->row->pid, x->row->host, what,
			  nothing);
}

typedef void print_fn(void *to, const char *sentence);

static void ends_each(const struct trace *t, struct end *x, size_t n, print_fn *print, void *to)
{
	size_t shown = 0, killed = 0;
	char text[96];

	qsort(x, n, sizeof(*x), by_end);
	for (size_t i = 0; i < n; i++)
		killed += *fate(&x[i], 0, text) != 0;
	for (size_t i = 0; killed && i < n; i++) {
		char *sentence;

		if (!*fate(&x[i], 1, text) || shown++ >= SHOWN)
			continue;
		sentence = fate_sentence(t, &x[i], text);
		print(to, sentence);
		free(sentence);
	}
	if (shown > SHOWN) {
		char *sentence = mem_printf("%s: %zu more processes did not end by themselves or "
					    "exited with an error",
					    t->path, shown - SHOWN);

		print(to, sentence);
		free(sentence);
	}
}

/* ---- processes that others of the run started ---- */

/* No tau-record has a row for it, or for the program that it was before. */
static int is_started(const struct trace *t, const struct end *x, size_t n,
		      const struct trace_process *p)
{
	for (size_t i = 0; i < n; i++)
		if (p->pid == x[i].row->pid && p->host && !strcmp(p->host, x[i].row->host))
			return 0;
	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *q = &t->process[i];

		if (q->start > p->start && q->pid == p->pid && q->host && p->host &&
		    !strcmp(q->host, p->host))
			return 0;
	}
	return 1;
}

/*
 * Has the run the wrapper `process`? It completes the files of processes that call _exit() or
 * become another program; without it their files are as those of processes that were killed.
 */
static int has_ends(const struct trace *t)
{
	for (size_t i = 0; i < t->region_n; i++)
		if (t->region[i].groups && !strcmp(t->region[i].groups, "PROCESS"))
			return 1;
	return 0;
}

/* Their statuses are known to their parents only. */
static void started_each(const struct trace *t, const struct end *x, size_t n, print_fn *print,
			 void *to)
{
	size_t found = 0, process_n = has_ends(t) ? t->process_n : 0;
	char *list = mem_string(""), *sentence;

	for (size_t i = 0; i < process_n; i++) {
		const struct trace_process *p = &t->process[i];
		char *more;

		if (p->running || p->elsewhere || !p->stream_n || is_closed(t, p) ||
		    !is_started(t, x, n, p) || found++ >= SHOWN)
			continue;
		more = mem_printf("%s%s%u", list, *list ? ", " : "", p->pid);
		free(list);
		list = more;
	}
	if (found) {
		sentence =
			mem_printf("%s: %zu process%s that others of the run started %s "
				   "killed: %s%s",
				   t->path, found, found == 1 ? "" : "es",
				   found == 1 ? "was" : "were", list, found > SHOWN ? ", ..." : "");
		print(to, sentence);
		free(sentence);
	}
	free(list);
}

/* ---- processes that MPI started ---- */

/* The runs that MPI_Comm_spawn() makes are jobs of their own. */
static void spawned_each(const struct trace *t, print_fn *print, void *to)
{
	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];

		for (size_t k = 0; k < p->meta_n; k++) {
			char *sentence;

			if (strncmp(p->meta[k].name, TAU_META_SPAWNED,
				    sizeof(TAU_META_SPAWNED) - 1))
				continue;
			sentence = mem_printf(
				"%s: rank %lld started %s process%s of %s by MPI_Comm_spawn: they "
				"are not in this run; to record them, let it start tau-record with "
				"another -o",
				t->path, (long long)p->rank, p->meta[k].value,
				strcmp(p->meta[k].value, "1") ? "es" : "",
				p->meta[k].name + sizeof(TAU_META_SPAWNED) - 1);
			print(to, sentence);
			free(sentence);
		}
	}
}

/* ---- both ---- */

int native_table_open(const struct trace *t, struct run_processes *out)
{
	const struct native_run *run = t->reader;
	int at = run_directory(t->path), code;

	*out = (struct run_processes){.fd = -1};
	if (at < 0)
		return -1;
	if (run->files)
		code = native_kept_table(run->files, at, out);
	else
		code = run_processes_open(at, 1, out) && run_processes_open(at, 0, out) ? -1 : 0;
	close(at);
	return code;
}

static void ends_print(const struct trace *t, const struct run_processes *table, struct end *x,
		       print_fn *print, void *to)
{
	ends_each(t, x, table->row_n, print, to);
	/* A full disk may have cost rows: then it is unknown who started a process. */
	if (table->row_n && table->row_n >= table->head.size)
		started_each(t, x, table->row_n, print, to);
	spawned_each(t, print, to);
}

void native_ends_each(const struct trace *t, print_fn *print, void *to)
{
	struct run_processes table;
	struct end *x;

	native_table_open(t, &table);
	x = ends_of(t, &table);
	ends_print(t, &table, x, print, to);
	free(x);
	run_processes_close(&table);
}

static void note(void *to, const char *sentence)
{
	trace_note(to, (struct note){.kind = NOTE_ENDED}, "%s", sentence);
}

/* Where no tau-record is left that could print it. Of other hosts that is unknown: then it is printed each time. */
static char *closing_line(const struct trace *t, struct run_processes *table)
{
	size_t unknown = 0;
	char *totals, *line;

	for (size_t i = 0; i < table->row_n; i++) {
		enum run_process_life life = run_process_life(&table->row[i]);

		if (life == RUN_PROCESS_RUNS)
			return NULL;
		unknown += life == RUN_PROCESS_UNKNOWN;
	}
	/* A tau-record that has the lock is about to print it. */
	if (table->head.closed || !table->row_n || flock(table->fd, LOCK_EX | LOCK_NB) < 0)
		return NULL;
	totals = native_totals(t);
	line = mem_printf("%s: tau-record was killed before it reported: %s", t->path, totals);
	free(totals);
	if (!unknown)
		run_processes_closed(table, 1, NULL);
	flock(table->fd, LOCK_UN);
	return line;
}

char *native_closing(const struct trace *t)
{
	struct run_processes table;
	char *line;

	if (native_table_open(t, &table))
		return NULL;
	line = closing_line(t, &table);
	run_processes_close(&table);
	return line;
}

/* Each process of the trace has a row with a rank. */
static int all_ranked(const struct trace *t, const struct run_processes *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->row_n; i++) {
		struct trace_process *p = process_of(t, &table->row[i]);

		if (!p || table->row[i].rank < 0 || p->rank >= 0)
			return 0;
		n++;
	}
	return n && n == t->process_n;
}

void native_ends_ranks(struct trace *t, const struct run_processes *table)
{
	if (!all_ranked(t, table))
		return;
	for (size_t i = 0; i < table->row_n; i++) {
		struct trace_process *p = process_of(t, &table->row[i]);

		p->rank = table->row[i].rank;
		p->size = (int64_t)table->head.size;
	}
}

void native_ends(struct trace *t, struct run_processes *table, int closing)
{
	struct end *x = ends_of(t, table);
	uint64_t noted = 0;
	char *line;

	for (size_t i = 0; i < table->row_n; i++)
		if (was_seen(&x[i]) && x[i].row->end_real_ns > noted)
			noted = x[i].row->end_real_ns;
	for (size_t i = 0; i < table->row_n; i++)
		end_set(t, &x[i], noted);
	if (table->head.closed) {
		t->added_ns = table->head.added_ns;
		t->alone_ns = table->head.alone_ns;
		t->added_least_ns = run_added(&table->head, table->head.least);
		t->added_most_ns = run_added(&table->head, table->head.most);
		t->overhead_measured = table->head.overhead == TAU_OVERHEAD_MEASURED;
	}
	ends_print(t, table, x, note, t);
	free(x);
	line = closing && table->fd >= 0 ? closing_line(t, table) : NULL;
	if (line)
		trace_note(t, (struct note){.kind = NOTE_CLOSING}, "%s", line);
	free(line);
}
