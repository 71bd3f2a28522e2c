/* native_running.c: which processes of a run are still being recorded, and how far their time has come. */
#include "convert/native/native_columns.h"
#include "convert/native/native_run.h"
#include "convert/native/native_running.h"
#include "convert/native/run_processes.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

static int64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The number may belong to another process by now: one that has begun after the live chunk was last written to. */
static int began_later(uint32_t pid, int64_t last_mono_ns)
{
	unsigned long long ticks = run_process_start(pid); /* hundredths of a second */

	return !ticks || (int64_t)ticks * 10000000 > last_mono_ns + 20000000;
}

/* Is the live chunk one that a process still writes, as far as the file shows? */
static int is_open(const struct native_file *f)
{
	return f->live_path && !f->closed && !f->damage && f->live.magic[0] &&
	       f->live.state != TAU_LIVE_STOPPED;
}

static int is_here(const struct trace_process *p)
{
	struct utsname here;

	return uname(&here) == 0 && p->host && !strcmp(p->host, here.nodename);
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

void native_running(struct trace *t, struct native_run *run)
{
	size_t running = 0;

	for (size_t i = 0; i < run->stream_n; i++) {
		const struct native_stream *s = run->stream[i];
		const struct native_clock *c = &run->clock[s->clock];
		struct trace_process *p = &t->process[s->process];
		int64_t now;

		if (p->running || !is_open(s->file))
			continue;
		if (!is_here(p)) {
			p->elsewhere = p->host != NULL;
			continue;
		}
		if (!is_running(p, c, s->file))
			continue;
		now = native_time(c, s->file->live.sync_tick) + monotonic_ns() -
		      (int64_t)s->file->live.sync_mono_ns;
		if (now < p->end)
			continue;
		p->running = 1;
		p->end = now;
		if (now + 1 > t->end)
			t->end = now + 1;
		running++;
	}
	if (running)
		trace_note(t, (struct note){.kind = NOTE_RUNNING, .number = (double)running},
			   "%zu process%s still being recorded: open regions have their time up to "
			   "now, %.6f s",
			   running, running == 1 ? " is" : "es are", (double)t->end / 1e9);
}
