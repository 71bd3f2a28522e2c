/* native_align.c: the clocks of a run's hosts: how fast each is, and how far it is from the others. */
#include <math.h>
#include <string.h>

#include "analyze/trace/trace.h"
#include "convert/native/define/native_align.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/native_run.h"
#include "record/metadata.h"

/*
 * Clocks that were compared over a shorter time give a rate less exact than the recorder's own
 * figure.
 */
#define BASELINE_NS 10000000
#define FURTHEST 1e18		/* ns; hosts that seem further apart were not compared rightly */
#define CLOCK_MOST  0x1p62         /* ns */
#define DRIFT 1e-3		/* no clock is off by more */

static uint32_t clock_of(struct native_run *run, const char *host, const struct native_file *f)
{
	struct native_clock *c;

	for (size_t i = 0; i < run->clock_n; i++) {
		c = &run->clock[i];
		if (!strcmp(c->host, host) && c->kind == f->head.clock &&
		    c->file_shift == f->head.shift)
			return (uint32_t)i;
	}
	c = array_add(run, clock);
	c->host = mem_string(host);
	c->kind = f->head.clock;
	c->file_shift = f->head.shift;
	c->base = UINT64_MAX;
	return (uint32_t)run->clock_n - 1;
}

static void clock_learn(struct native_clock *c, const struct native_file *f)
{
	if (f->head.start_tick < c->base)
		c->base = f->head.start_tick;
	if (f->head.ticks_hz)
		c->hz = f->head.ticks_hz;
	if (!f->sync_n)
		return;
	if (!c->sync_n || f->sync[0].tick < c->sync[0].tick)
		c->sync[0] = f->sync[0];
	if (!c->sync_n || f->sync[1].tick > c->sync[1].tick)
		c->sync[1] = f->sync[1];
	c->sync_n = 1;
}

/* ns = ticks * ns_n / ticks_n, as mult / 2^shift with mult as large as fits 62 bits. */
static void clock_rate(struct native_clock *c, uint64_t ns_n, uint64_t ticks_n)
{
	unsigned __int128 mult = 0;

	for (c->shift = 64; c->shift > 0; c->shift--) {
		/* ns_n < 2^62, so the product fits 126 bits only up to shift 64. */
		mult = ((unsigned __int128)ns_n << c->shift) / ticks_n;
		if (mult < (unsigned __int128)1 << 62)
			break;
	}
	c->mult = (uint64_t)mult;
}

/*
 * The rate comes from the two clock readings that lie furthest apart; over a short time the figure that the recorder
 * knew is better; a clock that counts nanoseconds needs neither.
 */
static void clock_solve(struct native_clock *c)
{
	uint64_t ticks = c->sync[1].tick - c->sync[0].tick,
		 ns = c->sync[1].mono_ns - c->sync[0].mono_ns;
	int measured = c->sync[1].tick > c->sync[0].tick &&
		       c->sync[1].mono_ns > c->sync[0].mono_ns && ns >> 62 == 0 &&
		       ns / ticks < 1000000 && ticks / ns < 1000;

	if (c->kind == TAU_CLOCK_MONOTONIC)
		clock_rate(c, 1ull << c->file_shift, 1);
	else if (measured && (ns >= BASELINE_NS || !c->hz))
		clock_rate(c, ns, ticks);
	else if (c->hz)
		clock_rate(c, 1000000000u, c->hz);
	else
		clock_rate(c, 1, 1);
}

/* Real time at c->base, in ns since 1970, below 2^62; 0: unknown. */
static int64_t clock_real_base(const struct native_clock *c)
{
	const struct native_sync *s = &c->sync[0];
	int before = s->tick < c->base;
	__int128 away = before ? c->base - s->tick : s->tick - c->base, real;

	if (!c->sync_n)
		return 0;
	away = away * c->mult >> c->shift;
	real = before ? s->real_ns + away : s->real_ns - away;
	return real > 0 && real >> 62 == 0 ? (int64_t)real : 0;
}

/* ---- what hosts measured ---- */

/* How far rank 0's clock was ahead, at a time of one's own. */
struct clock_offset {
	double at, offset;
};

static int compared_read(const struct trace_process *p, const char *at, const char *offset,
			 struct clock_offset *out)
{
	out->at = trace_process_meta_number(p, at);
	out->offset = trace_process_meta_number(p, offset);
	return out->at >= 0 && out->at < CLOCK_MOST && fabs(out->offset) < CLOCK_MOST;
}

/* Older traces have the three numbers in one text. */
static void offsets_split(struct trace_process *p)
{
	static const char *const names[][4] = {
		{TAU_META_CLOCK_OFFSETS_START, TAU_META_CLOCK_COMPARED_START_NS,
		 TAU_META_CLOCK_OFFSET_START_NS, TAU_META_CLOCK_DOUBT_START_NS},
		{TAU_META_CLOCK_OFFSETS_END, TAU_META_CLOCK_COMPARED_END_NS,
		 TAU_META_CLOCK_OFFSET_END_NS, TAU_META_CLOCK_DOUBT_END_NS},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *at = trace_process_meta(p, names[i][0]);

		for (size_t k = 1; k < 4 && at; k++) {
			size_t n = strcspn(at, " ");

			*array_add(p, meta) = (struct trace_attribute){
				mem_string(names[i][k]), mem_printf("%.*s", (int)n, at)};
			at += n + (at[n] == ' ');
		}
	}
}

/* The host's monotonic clock at c->base. */
static double mono_base(const struct native_clock *c)
{
	const struct native_sync *s = &c->sync[0];
	double unit = (double)((unsigned __int128)1 << c->shift);
	double ticks = s->tick >= c->base ? (double)(s->tick - c->base) :
					    -(double)(c->base - s->tick);

	return (double)s->mono_ns - ticks * (double)c->mult / unit;
}

/* Puts a clock where rank 0's was when the two were compared, in a straight line between. */
static void clock_follow(struct native_clock *c, const struct native_clock *master,
			 const struct trace_process *p)
{
	struct clock_offset start, end;
	double drift = 0, base, ahead;

	if (!compared_read(p, TAU_META_CLOCK_COMPARED_START_NS, TAU_META_CLOCK_OFFSET_START_NS,
			   &start))
		return;
	if (compared_read(p, TAU_META_CLOCK_COMPARED_END_NS, TAU_META_CLOCK_OFFSET_END_NS, &end) &&
	    end.at > start.at)
		drift = (end.offset - start.offset) / (end.at - start.at);
	if (drift > DRIFT || drift < -DRIFT)
		drift = 0;
	base = mono_base(c);
	ahead = base - mono_base(master) + start.offset + drift * (base - start.at);
	if (ahead > FURTHEST || ahead < -FURTHEST)
		return;
	c->mult += (int64_t)((double)c->mult * drift);
	c->offset_ns = master->offset_ns + (int64_t)ahead;
	c->compared = 1;
}

/* The clock of each process's first stream; NULL: it has none. */
static struct native_clock **clocks_of(const struct trace *t, struct native_run *run)
{
	struct native_clock **of = mem_alloc((t->process_n + 1) * sizeof(*of));

	for (size_t i = run->stream_n; i-- > 0;)
		of[run->stream[i]->process] = &run->clock[run->stream[i]->clock];
	return of;
}

static void clocks_follow(struct trace *t, struct native_run *run)
{
	struct native_clock **of = clocks_of(t, run), *master = NULL;

	for (size_t p = 0; p < t->process_n && !master; p++)
		if (t->process[p].rank == 0)
			master = of[p];
	for (size_t p = 0; p < t->process_n && master && master->sync_n; p++)
		if (of[p] && of[p] != master && !of[p]->compared && of[p]->sync_n)
			clock_follow(of[p], master, &t->process[p]);
	free(of);
}

/* Times are corrected from now on: a copy of the metadata must not lead to a second correction. */
static void compared_rename(struct trace_process *p)
{
	static const size_t at_n = sizeof(TAU_META_CLOCK_OFFSET_AT) - 1;

	for (size_t i = 0; i < p->meta_n; i++) {
		char *name = p->meta[i].name;

		if (strncmp(name, TAU_META_CLOCK_OFFSET_AT, at_n))
			continue;
		p->meta[i].name = mem_printf(TAU_META_CLOCK_WAS_OFFSET_AT "%s", name + at_n);
		free(name);
	}
}

/* Gives each clock the time of its base since the earliest of all. */
static void clocks_place(struct trace *t, struct native_run *run)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < run->clock_n; i++)
		run->clock[i].offset_ns = clock_real_base(&run->clock[i]);
	for (size_t p = 0; p < t->process_n; p++)
		offsets_split(&t->process[p]);
	clocks_follow(t, run);
	for (size_t p = 0; p < t->process_n; p++)
		compared_rename(&t->process[p]);
	for (size_t i = 0; i < run->clock_n; i++)
		if (run->clock[i].offset_ns < first)
			first = run->clock[i].offset_ns;
	for (size_t i = 0; i < run->clock_n; i++)
		run->clock[i].offset_ns -= first;
}

void native_align(struct trace *t, struct native_run *run)
{
	for (size_t i = 0; i < run->stream_n; i++) {
		struct native_stream *s = run->stream[i];
		const char *host = t->process[s->process].host;

		s->clock = clock_of(run, host ? host : "", s->file);
		clock_learn(&run->clock[s->clock], s->file);
	}
	for (size_t i = 0; i < run->clock_n; i++)
		clock_solve(&run->clock[i]);
	if (run->clock_n > 1)
		clocks_place(t, run);
	for (size_t i = 0; i < run->clock_n; i++) {
		struct native_clock *c = &run->clock[i];
		int64_t base = clock_real_base(c);

		c->wall = base > c->offset_ns ? base - c->offset_ns : 0;
		if (!c->compared && !t->wall)
			t->wall = c->wall;
	}
}
