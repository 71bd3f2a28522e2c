/* look_ranks.c: processor, memory, input and output of each process, and its regions with the most time. */
#include "cmd/monitor/look_ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "cmd/shared/process_use.h"
#include "convert/io/now.h"

static uint32_t who_of(struct look_ranks *x, const struct look_process *p)
{
	char text[400];
	int n = snprintf(text, sizeof(text), "%llx %u %.255s", (unsigned long long)p->id, p->pid,
			 p->host);
	uint32_t who = names_add(&x->who, text, (size_t)n);

	while (x->use_n <= who)
		*array_add(x, use) = (struct look_use){.use = PROCESS_USE_UNKNOWN};
	return who;
}

/* ---- what it uses ---- */

static double rate(double now, double before, double s)
{
	return s > 0 ? (now - before) / s : NAN;
}

static void use_find(struct look_ranks *x, uint32_t who, struct look_process *p)
{
	struct look_use *before = &x->use[who], now = {process_use(p->pid), now_ns()};
	double s = (double)(now.ns - before->ns) / 1e9;

	p->use = now.use;
	p->load = rate(now.use.cpu, before->use.cpu, s);
	p->read_rate = rate(now.use.read, before->use.read, s);
	p->written_rate = rate(now.use.written, before->use.written, s);
	*before = now;
}

/* ---- its regions ---- */

/* Time of a region that it did not have in the look before. */
static double new_excl(struct look_ranks *x, uint32_t who, const char *name, double excl)
{
	uint64_t key = (uint64_t)who << 32 | names_add(&x->name, name, strlen(name));
	uint32_t at = map_get(&x->at, key);
	double before;

	if (at == MAP_NONE) {
		at = (uint32_t)x->excl_n;
		*array_add(x, excl) = 0;
		map_set(&x->at, key, at);
	}
	before = x->excl[at];
	x->excl[at] = excl;
	return excl - before;
}

static void top_add(struct look_process *p, const char *name, double us)
{
	size_t at = p->top_n;
	char *last;

	while (at > 0 && p->top[at - 1].new_excl < us)
		at--;
	if (at == LOOK_TOP)
		return;
	last = p->top_n == LOOK_TOP ? p->top[LOOK_TOP - 1].name : NULL;
	p->top_n += p->top_n < LOOK_TOP;
	memmove(&p->top[at + 1], &p->top[at], (p->top_n - 1 - at) * sizeof(*p->top));
	p->top[at] = (struct look_top){mem_string(name), us};
	free(last);
}

/* Adds up the threads of a node by region. sum: by timer, zero before and after. */
static void top_find(struct look_ranks *x, uint32_t who, struct profile *p,
		     const struct waiting *waiting, double *sum, struct look_process *to)
{
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];
		enum waiting_class is;

		if (t->node != to->node)
			continue;
		is = waiting_class(waiting, t);
		for (size_t k = 0; k < t->row_n; k++) {
			const struct profile_path *path = &p->path[t->row[k].path];

			if (path->parent == PROFILE_FLAT &&
			    waiting_row_counts(is, NULL, p, path->timer))
				sum[path->timer] += profile_excl(p, t, &t->row[k])[0];
		}
	}
	for (size_t i = 0; i < p->timer_n; i++) {
		double us = sum[i];

		sum[i] = 0;
		if (us <= 0 || profile_timer_kind(&p->timer[i]) != TIMER_MEASURED)
			continue;
		us = new_excl(x, who, p->timer[i].name, us);
		if (us > 0)
			top_add(to, p->timer[i].name, us);
	}
}

void look_ranks(struct look_ranks *x, struct look *l)
{
	double *sum = mem_alloc((l->profile->timer_n + 1) * sizeof(*sum));
	struct waiting *waiting =
		waiting_find((const struct profile *const *)&l->profile, 1, TIMER_MEASURED);

	for (size_t i = 0; i < l->process_n; i++) {
		struct look_process *p = &l->process[i];
		uint32_t who = who_of(x, p);

		if (p->running)
			use_find(x, who, p);
		top_find(x, who, l->profile, waiting, sum, p);
	}
	waiting_free(waiting);
	free(sum);
}

void look_ranks_release(struct look_ranks *x)
{
	names_release(&x->who);
	names_release(&x->name);
	map_release(&x->at);
	free(x->use);
	free(x->excl);
	*x = (struct look_ranks){0};
}
