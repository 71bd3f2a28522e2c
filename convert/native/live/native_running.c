/* native_running.c: which processes of a run are still being recorded, and how far their time has come. */
#include "analyze/trace/trace.h"
#include "analyze/base/quantity.h"
#include "convert/io/now.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/native_run.h"
#include "convert/native/live/native_running.h"
#include "convert/native/live/file_locks.h"
#include "convert/native/live/run_processes.h"
#include "record/counter.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* The number may belong to another process by now: one that has begun after the live chunk was last written to. */
static int began_later(uint32_t pid, int64_t last_mono_ns)
{
	unsigned long long ticks = run_process_start(pid); /* hundredths of a second */

	return !ticks || (int64_t)ticks * 10000000 > last_mono_ns + 20000000;
}

/* Is the live chunk one that a process still writes, as far as the file shows? */
static int is_open(const struct native_file *f)
{
	return f->live_path && !f->closed && !f->damage && f->live.magic[0] && !f->stopped;
}

static int is_here(const struct trace_process *p, const char *here)
{
	return p->host && !strcmp(p->host, here);
}

/* Does the process that writes this live chunk, on this host, still run? */
static int is_running(const struct trace_process *p, const struct native_clock *c,
		      const struct native_file *f)
{
	const struct tau_live_header *live = &f->live;
	int64_t last = (int64_t)live->sync_mono_ns + native_time(c, live->last_tick) -
		       native_time(c, live->sync_tick);

	if (kill((pid_t)p->pid, 0) < 0 && errno != EPERM)
		return 0;
	return !began_later(p->pid, last);
}

/* It has ended since the live chunk was copied, which is not its last one: a process that is killed leaves the file. */
static int has_ended_since(const struct native_file *f)
{
	return access(f->live_path, F_OK) && errno == ENOENT;
}

#if defined(TAU_COUNTER_SHIFT)
static uint64_t tsc(void)
{
	return tau_counter();
}
#else
static uint64_t tsc(void)
{
	return 0;
}
#endif

static struct native_now now(void)
{
	return (struct native_now){now_ns(), tsc()};
}

void native_running_begin(struct native_run *run)
{
	run->opened = now();
}

#define DRIFT_MOST_NS 10000000000

/*
 * The time of the run at a moment. A clock of ticks is read directly where possible: what is known of its rate is not exact, and a
 * live chunk may have begun hours ago.
 */
static int64_t run_time(const struct native_clock *c, const struct tau_live_header *live,
			const struct native_now *m)
{
	int64_t since_sync = m->mono_ns - (int64_t)live->sync_mono_ns;
	int64_t by_mono = native_time(c, live->sync_tick) + since_sync;
	int64_t by_tick = native_time(c, m->tsc >> (c->file_shift & 63));
	uint64_t apart = (uint64_t)by_tick - (uint64_t)by_mono;

	if (c->kind != TAU_CLOCK_TSC || !m->tsc || apart + DRIFT_MOST_NS > 2 * DRIFT_MOST_NS)
		return by_mono;
	return by_tick;
}

/* Processes of this host that have ended since `until` were running then. Nothing later is read of those that were. */
static void cut(struct trace *t, struct native_run *run, const char *here, int64_t until)
{
	for (size_t i = 0; i < t->process_n; i++) {
		struct trace_process *p = &t->process[i];

		if (p->running || !is_here(p, here) || p->end <= until)
			continue;
		p->running = 1;
		p->end = until > p->start ? until : p->start;
	}
	t->end = 0;
	for (size_t i = 0; i < t->process_n; i++)
		if (t->process[i].end + 1 > t->end)
			t->end = t->process[i].end + 1;
	for (size_t i = 0; i < run->stream_n; i++) {
		struct native_stream *s = run->stream[i];
		const struct trace_process *p = &t->process[s->process];

		if (!p->running)
			continue;
		s->limit = p->end;
		if (t->stream[i].last > p->end)
			t->stream[i].last = p->end;
	}
}

/* How long ago, by the clocks of both hosts, a stream that was written on another one had its last record. */
static int64_t age(const struct native_clock *c, const struct tau_live_header *live)
{
	int64_t last = (int64_t)live->sync_real_ns + native_time(c, live->last_tick) -
		       native_time(c, live->sync_tick);
	struct timespec now;

	if (!live->sync_real_ns || clock_gettime(CLOCK_REALTIME, &now))
		return 0;
	last = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - last;
	return last > 0 ? last : 0;
}

void native_running(struct trace *t, struct native_run *run)
{
	const struct native_now present = now();
	struct utsname host;
	int64_t until = 0;
	char now[QUANTITY_TEXT];
	size_t running = 0;
	struct file_locks locks;
	int any = 0;

	if (uname(&host))
		return;
	for (size_t i = 0; i < run->stream_n; i++) {
		const struct native_stream *s = run->stream[i];
		const struct native_clock *c = &run->clock[s->clock];
		const struct tau_live_header *live = &s->file->live;
		struct trace_process *p = &t->process[s->process];

		if (p->running || !is_open(s->file))
			continue;
		if (!is_here(p, host.nodename)) {
			p->elsewhere = p->host != NULL;
			t->stream[i].age = p->elsewhere ? age(c, live) : 0;
			continue;
		}
		if (!has_ended_since(s->file) &&
		    (!is_running(p, c, s->file) || run_time(c, live, &present) < p->end))
			continue;
		p->running = 1;
		p->stopped = run_process_stopped(p->pid);
		if (!any)
			file_locks_read(&locks, "/proc/locks");
		p->lock_holder = file_locks_holder(&locks, (pid_t)p->pid);
		p->end = run_time(c, live, &run->opened);
		p->end = p->end > p->start ? p->end : p->start;
		until = p->end > until ? p->end : until;
		any = 1;
	}
	if (!any)
		return;
	file_locks_release(&locks);
	cut(t, run, host.nodename, until);
	for (size_t i = 0; i < t->process_n; i++)
		running += t->process[i].running;
	trace_note(t, (struct note){.kind = NOTE_RUNNING, .number = (double)running},
		   "%zu process%s still being recorded: open regions have their time up to now, "
		   "%s",
		   running, running == 1 ? " is" : "es are",
		   quantity_moment_text((double)t->end, now));
}
