/* measures.c: the pipe for what processes want measured, and the thread that measures them. */
#include "cmd/record/requests/measures.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/record/requests/measured_host.h"
#include "cmd/record/requests/measured_process.h"
#include "cmd/record/requests/run_pipe.h"
#include "cmd/shared/message.h"
#include "convert/native/live/measure_message.h"
#include "convert/native/live/value_stream.h"
#include "record/metadata.h"
#include "record/metric/headroom.h"

#define LABEL	     ".TAU system"
#define VARIABLE     "TAU_RECORD_MEASURES"
#define ALIVE_NS     1000000000u /* so often it is looked whether a process has ended */
#define NEVER	     UINT64_MAX
#define FILES_LEAST  32 /* with fewer descriptors the program comes first */

/* A process that is measured. */
struct measured {
	struct tau_measure m; /* its last message */
	struct measured_process process;
	struct value_stream *stream; /* NULL: it could not be made */
	int found;		     /* process is open */
	int looked;		     /* it was measured from outside */
	int gone;		     /* it has ended; its last messages may be in the pipe */
	uint64_t system_next, tracked_next, alive_next; /* ns */
	struct tau_measured last;	/* and when that was, ticks; 0: never */
	uint64_t last_tick;
	uint64_t least;			/* headroom, of all readings */
	char *least_limit, *limits;
};

struct measures {
	struct run_pipe pipe;
	char *run;
	mode_t mode;
	struct measured *process;
	size_t process_n, process_cap;
	uint64_t host;	 /* the process whose stream has the host's counters, 0: none yet */
	int said;	 /* a message about a file was printed */
	size_t n;	 /* bytes that were received and not read yet */
	char bytes[64 * sizeof(struct tau_measure)];
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void print_once(struct measures *r, const char *text)
{
	if (!r->said)
		message_print("tau-record", "%s; counters at intervals are incomplete", text);
	r->said = 1;
}

/* ---- values ---- */

static void put_load(struct measured *d, const struct tau_measured *v, uint64_t tick)
{
	double wall = (double)(tick - d->last_tick) * 1e9 / (double)d->m.ticks_hz;

	if (d->last_tick && tick > d->last_tick && v->cpu_ns >= d->last.cpu_ns)
		value_stream_put(d->stream, tick, VALUE_LEVEL, "Process CPU load (%)",
				 (double)(v->cpu_ns - d->last.cpu_ns) * 100 / wall);
}

/* A count does not fall: the kernel shows switches of threads that are alive. */
static void put_count(struct measured *d, uint64_t tick, const char *name, uint64_t value,
		      uint64_t *last)
{
	if (value > *last)
		*last = value;
	value_stream_put(d->stream, tick, VALUE_COUNT, name, (double)*last);
}

static void put_process(struct measured *d, const struct tau_measured *v, uint64_t tick)
{
	struct tau_measured *last = &d->last;

	put_load(d, v, tick);
	put_count(d, tick, "Process voluntary context switches", v->voluntary, &last->voluntary);
	put_count(d, tick, "Process involuntary context switches", v->involuntary,
		  &last->involuntary);
	put_count(d, tick, "Process minor page faults", v->minor, &last->minor);
	put_count(d, tick, "Process major page faults", v->major, &last->major);
	if (v->threads) {
		value_stream_put(d->stream, tick, VALUE_LEVEL, "Process resident memory (B)",
				 (double)v->resident);
		value_stream_put(d->stream, tick, VALUE_LEVEL, "Process threads",
				 (double)v->threads);
	}
	if (v->io) {
		put_count(d, tick, "Process bytes read", v->read, &last->read);
		put_count(d, tick, "Process bytes written", v->written, &last->written);
		put_count(d, tick, "Process bytes read from storage", v->disk_read,
			  &last->disk_read);
		put_count(d, tick, "Process bytes written to storage", v->disk_written,
			  &last->disk_written);
	}
	last->cpu_ns = v->cpu_ns;
	d->last_tick = tick;
}

/* One process of those that are measured here has the host's counters. */
static void put_host(struct measures *r, struct measured *d, uint64_t tick)
{
	size_t i = 0;

	while (i < r->process_n && r->process[i].m.process_id != r->host)
		i++;
	if (i < r->process_n && r->host != d->m.process_id)
		return;
	if (!measured_host_ours(r->run, r->mode, d->m.system_ns))
		return;
	if (r->host != d->m.process_id)
		measured_host_begin();
	r->host = d->m.process_id;
	measured_host_read(d->stream, tick);
}

static void put_system(struct measures *r, struct measured *d, const struct tau_measured *v,
		       uint64_t tick)
{
	if (!d->stream)
		return;
	put_process(d, v, tick);
	put_host(r, d, tick);
}

static void put_heap(struct measured *d, uint64_t tick)
{
	uint64_t bytes;

	if (measured_process_heap(&d->process, &d->m, &bytes) == 0)
		value_stream_put(d->stream, tick, VALUE_CONTEXT, TAU_COUNTER_HEAP_KB,
				 (double)bytes / 1024);
}

/* A second event names what binds. */
static void put_headroom(struct measured *d, uint64_t tick)
{
	const char *limit;
	char words[2048], *name;
	uint64_t bytes;

	headroom_find("", (uint32_t)d->process.pid, (d->m.what & TAU_MEASURE_SYMMETRIC) != 0);
	bytes = headroom_read(&limit);
	if (bytes == HEADROOM_NONE)
		return;
	value_stream_put(d->stream, tick, VALUE_CONTEXT, "Memory Headroom Left (MB)",
			 (double)bytes / 1048576);
	name = mem_printf("Memory Headroom Left (MB) by %s", limit);
	value_stream_put(d->stream, tick, VALUE_LEVEL, name, (double)bytes / 1048576);
	free(name);
	free(d->limits);
	d->limits = mem_string(headroom_words(words, sizeof(words)));
	if (bytes >= d->least)
		return;
	d->least = bytes;
	free(d->least_limit);
	d->least_limit = mem_string(limit);
}

static void put_footprint(struct measured *d, uint64_t tick)
{
	value_stream_put(d->stream, tick, VALUE_CONTEXT, "Memory Footprint (VmRSS) (KB)",
			 (double)measured_process_kb(&d->process, "\nVmRSS:"));
	value_stream_put(d->stream, tick, VALUE_CONTEXT,
			 TAU_META_PEAK_RESIDENT_KB,
			 (double)measured_process_kb(&d->process, "\nVmHWM:"));
}

static void put_tracked(struct measured *d, uint64_t tick)
{
	if (!d->stream)
		return;
	if (d->m.what & TAU_MEASURE_HEAP)
		put_heap(d, tick);
	if (d->m.what & TAU_MEASURE_HEADROOM)
		put_headroom(d, tick);
	if (d->m.what & TAU_MEASURE_FOOTPRINT)
		put_footprint(d, tick);
	if (d->m.what & TAU_MEASURE_LOAD)
		measured_host_load(d->stream, tick);
	if (d->m.what & TAU_MEASURE_POWER)
		measured_host_power(d->stream, tick);
}

/* ---- processes ---- */

/* The least headroom is that of the process's own readings, too, which has metadata of its own. */
static void put_metadata(struct measured *d)
{
	char *bytes;

	if (!d->stream || !d->least_limit || d->least >= d->m.headroom_least)
		return;
	bytes = mem_printf("%llu", (unsigned long long)d->least);
	value_stream_meta(d->stream, TAU_META_MEMORY_HEADROOM_LEAST, d->least_limit);
	value_stream_meta(d->stream, TAU_META_MEMORY_HEADROOM_LEAST_BYTES, bytes);
	value_stream_meta(d->stream, TAU_META_MEMORY_LIMITS, d->limits);
	free(bytes);
}

/* Ends the measuring of a process. The place of the last one is its place then. */
static void finish(struct measures *r, struct measured *d)
{
	struct error e = {0};

	put_metadata(d);
	if (value_stream_close(d->stream, &e) < 0)
		print_once(r, e.text);
	if (d->found)
		measured_process_close(&d->process);
	free(d->least_limit);
	free(d->limits);
	if (r->host == d->m.process_id)
		r->host = 0;
	*d = r->process[--r->process_n];
}

static struct measured *process_of(struct measures *r, uint64_t process_id)
{
	for (size_t i = 0; i < r->process_n; i++)
		if (r->process[i].m.process_id == process_id)
			return &r->process[i];
	return NULL;
}

/* A process that executes another program has the number of the one before. */
static struct measured *process_add(struct measures *r, const struct tau_measure *m)
{
	struct value_stream_of of = {.directory = r->run, .files = m->files, .label = LABEL,
				     .process_id = m->process_id, .ticks_hz = m->ticks_hz,
				     .start_tick = m->start_tick, .pid = m->pid,
				     .stream = m->stream, .clock = (uint8_t)m->clock,
				     .shift = (uint8_t)m->shift, .mode = r->mode};
	struct measured_process process;
	int found = measured_process_open(&process, m) == 0;
	struct error e = {0};
	struct measured *d;

	for (size_t i = r->process_n; i-- > 0;)
		if (found && r->process[i].found && r->process[i].process.pid == process.pid)
			finish(r, &r->process[i]);
	d = array_add(r, process);
	*d = (struct measured){.process = process, .found = found, .least = HEADROOM_NONE};
	d->stream = value_stream_new(&of, m->tick, &e);
	if (!d->stream)
		print_once(r, e.text);
	return d;
}

/* What is measured, from now on. The first numbers of the process are in the message. */
static void from(struct measures *r, const struct tau_measure *m, uint64_t now)
{
	struct measured *d = process_of(r, m->process_id);
	unsigned before = d ? d->m.what : 0;
	uint64_t track_ns = d ? d->m.track_ns : 0;

	if (!d)
		d = process_add(r, m);
	d->m = *m;
	if (!(before & TAU_MEASURE_SYSTEM) && m->what & TAU_MEASURE_SYSTEM) {
		put_system(r, d, &m->now, m->tick);
		d->system_next = now + m->system_ns;
	}
	if (!(before & TAU_MEASURE_TRACKED) || m->track_ns < track_ns)
		d->tracked_next = now + m->track_ns;
}

static void end(struct measures *r, const struct tau_measure *m)
{
	struct measured *d = process_of(r, m->process_id);

	if (!d)
		return;
	if (d->m.what & TAU_MEASURE_SYSTEM)
		put_system(r, d, &m->now, m->tick);
	if (!d->looked && (double)(m->tick - d->m.tick) > (double)m->ticks_hz)
		message_print("tau-record",
			      "%s: process %u was measured at its begin and end only: it is not "
			      "found in /proc",
			      r->run, m->pid);
	d->m.headroom_least = m->headroom_least;
	finish(r, d);
}

/* ---- at intervals ---- */

/* Late ones are not made up for. */
static uint64_t next_of(uint64_t due, uint64_t interval, uint64_t now)
{
	return now - due < interval ? due + interval : now + interval;
}

static void measure_system(struct measures *r, struct measured *d)
{
	struct tau_measured v;
	uint64_t tick;

	if (!d->stream || measured_process_read(&d->process, &v) < 0)
		return;
	tick = value_stream_now(d->stream);
	if (measured_process_records(&d->process, &d->m) &&
	    measured_process_lives(&d->process, &d->m))
		put_system(r, d, &v, tick);
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What is due of a process; returns when it is due next, 0: the process has ended. */
static uint64_t work(struct measures *r, struct measured *d, uint64_t now)
{
	uint64_t next = NEVER;

	if (now >= d->alive_next) {
		if (d->found && !measured_process_lives(&d->process, &d->m))
			return 0;
		d->alive_next = now + ALIVE_NS;
	}
	if (d->found && d->m.what & TAU_MEASURE_SYSTEM) {
		if (now >= d->system_next) {
			measure_system(r, d);
			d->looked = 1;
			d->system_next = next_of(d->system_next, d->m.system_ns, now);
		}
		next = sooner(next, d->system_next);
	}
	if (d->found && d->m.what & TAU_MEASURE_TRACKED) {
		if (now >= d->tracked_next) {
			if (d->stream && measured_process_records(&d->process, &d->m))
				put_tracked(d, value_stream_now(d->stream));
			d->looked = 1;
			d->tracked_next = next_of(d->tracked_next, d->m.track_ns, now);
		}
		next = sooner(next, d->tracked_next);
	}
	return sooner(next, d->alive_next);
}

/* Returns when something is due next. */
static uint64_t work_all(struct measures *r)
{
	uint64_t next = NEVER;

	for (size_t i = 0; i < r->process_n;) {
		uint64_t due;

		if (r->process[i].gone) {
			finish(r, &r->process[i]);
			continue;
		}
		due = work(r, &r->process[i], now_ns());
		r->process[i].gone = !due;
		next = sooner(next, due);
		i++;
	}
	return next;
}

/* ---- the thread ---- */

/* Takes all messages that are complete. A damaged one takes those after it along. 0: the last one was there. */
static int messages_read(struct measures *r)
{
	struct tau_measure m;
	size_t at = 0;
	int size, more = 1;

	while (more && (size = measure_message_read(r->bytes + at, r->n - at, &m)) > 0) {
		at += (size_t)size;
		if (m.kind == TAU_MEASURE_FROM)
			from(r, &m, now_ns());
		else if (m.kind == TAU_MEASURE_END)
			end(r, &m);
		more = m.kind != TAU_MEASURE_OVER;
	}
	if (more && size < 0) {
		print_once(r, "a message of a process is damaged");
		at = r->n;
	}
	r->n -= at;
	memmove(r->bytes, r->bytes + at, r->n);
	return more;
}

/* Takes what is there. 0: the last message was there. */
static int receive(struct measures *r)
{
	ssize_t n;

	while ((n = read(r->pipe.fd, r->bytes + r->n, sizeof(r->bytes) - r->n)) > 0) {
		r->n += (size_t)n;
		if (!messages_read(r))
			return 0;
	}
	return 1;
}

static void *serve(void *of)
{
	struct measures *r = of;
	struct pollfd p = {.fd = r->pipe.fd, .events = POLLIN};
	struct timespec t;
	uint64_t next = NEVER, now;
	int more;

	prctl(PR_SET_NAME, "tau-measures");
	do {
		now = now_ns();
		now = next > now ? next - now : 0;
		t = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
		ppoll(&p, 1, next == NEVER ? NULL : &t, NULL);
		more = receive(r);
		next = work_all(r);
	} while (more);
	while (r->process_n)
		finish(r, &r->process[r->process_n - 1]);
	return NULL;
}

static void release(struct measures *r)
{
	free(r->process);
	free(r->run);
	free(r);
}

static struct measures *begin(const char *run)
{
	struct measures *r;
	struct rlimit files;
	int error;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FILES_LEAST) {
		unsetenv(VARIABLE);
		errno = EMFILE;
		return NULL;
	}
	r = mem_alloc(sizeof(*r));
	r->run = mem_string(run);
	r->mode = getenv("TAU_RECORD_SHARED") ? 0666 : 0600;
	if (run_pipe_begin(&r->pipe, run, "measures", VARIABLE, serve, r) == 0)
		return r;
	error = errno;
	release(r);
	errno = error;
	return NULL;
}

struct measures *measures_begin(const char *run, int wanted)
{
	struct measures *r = begin(run);

	if (!r && wanted)
		message_print("tau-record", "%s: nothing is measured at intervals: %s", run,
			      strerror(errno));
	return r;
}

void measures_end(struct measures *r)
{
	const struct tau_measure last = measure_message_last();

	if (!r)
		return;
	run_pipe_end(&r->pipe, &last, sizeof(last));
	release(r);
}
