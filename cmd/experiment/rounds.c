/* rounds.c: starts the runs of an experiment in their order. */
#include "cmd/experiment/rounds.h"

#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "cmd/experiment/narrow.h"
#include "cmd/experiment/run_child.h"
#include "cmd/experiment/run_plan.h"
#include "cmd/experiment/run_store.h"
#include "cmd/experiment/submit.h"
#include "cmd/shared/message.h"

/* The index of a run; run_n: it is not planned. */
static size_t run_of(const struct run_plan *p, size_t cell, long repeat)
{
	size_t i = 0;

	while (i < p->run_n && (p->run[i].cell != cell || p->run[i].repeat != repeat))
		i++;
	return i;
}

static size_t runs_ended(const struct run_plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->run_n; i++)
		n += p->run[i].state == RUN_STORED || p->run[i].state == RUN_FAILED;
	return n;
}

static void run_print(const struct run_plan *p, const struct planned_run *r)
{
	char text[QUANTITY_TEXT] = "complete";
	size_t n = runs_ended(p);

	if (r->state == RUN_FAILED)
		message_print("tau-experiment", "run %zu of %zu: %s failed: %s", n, p->run_n,
			      r->name, r->why);
	else
		message_print("tau-experiment", "run %zu of %zu: %s: %s", n, p->run_n, r->name,
			      isnan(r->span_ns) ? text : quantity_time_text(r->span_ns, text));
}

static int run_complete(struct run_all *a, size_t at, struct error *e)
{
	struct planned_run *r = &a->p->run[at];
	char *words = mem_printf("run %zu of %zu: %s", runs_ended(a->p) + 1, a->p->run_n, r->name);
	int code = 0;

	if (r->state == RUN_TO_DO)
		code = run_one(a, r, words, e);
	if (code == 0 && r->state == RUN_RECORDED) {
		char *importing = mem_printf("%s: import", words);

		code = run_store_import(a, r, importing, e);
		free(importing);
	}
	if (code == 0 && (r->state == RUN_STORED || r->state == RUN_FAILED))
		run_print(a->p, r);
	free(words);
	return code;
}

/* One run of each cell that needs one. *any: there were some. */
static int round_run(struct run_all *a, long round, int *any, struct error *e)
{
	struct run_plan *p = a->p;
	const struct experiment *x = p->x;
	int code = 0;

	*any = 0;
	for (size_t i = 0; i < p->cell_n && code == 0 && !a->signals.stopped; i++) {
		size_t cell = run_plan_cell(p, round, i), at = run_of(p, cell, round);

		if (at == p->run_n &&
		    (round <= x->repeat || round > x->most || cell_is_narrow(p, cell)))
			continue;
		if (at == p->run_n)
			run_plan_add(p, cell, round);
		*any = 1;
		if (p->run[at].state == RUN_TO_DO || p->run[at].state == RUN_RECORDED)
			code = run_complete(a, at, e);
		run_signals_check(&a->signals, 0);
	}
	return code;
}

/* The next round of those that need one, as runs to do. 0: none does. */
static int round_add(struct run_plan *p)
{
	size_t before = p->run_n;

	for (size_t i = 0; i < p->cell_n; i++) {
		long round = p->x->repeat;

		while (round <= p->x->most && run_of(p, i, round) < p->run_n)
			round++;
		if (round <= p->x->most && !cell_is_narrow(p, i))
			run_plan_add(p, i, round);
	}
	return p->run_n > before;
}

static int jobs_run(struct run_all *a, struct error *e)
{
	size_t at;
	int code, any = 1;

	for (size_t i = 0; i < a->p->run_n; i++)
		if (a->p->run[i].state == RUN_RECORDED && run_complete(a, i, e))
			return e->code;
	do {
		code = submit_runs(a, e);
		for (size_t i = 0; code == 0 && i < a->p->run_n; i++)
			if (a->p->run[i].state == RUN_RECORDED)
				code = run_complete(a, i, e);
		while (code == 0 && any && !a->signals.stopped) {
			any = submit_wait(a, &at, e);
			code = any < 0 ? any : any ? run_complete(a, at, e) : 0;
		}
		any = code == 0 && !a->signals.stopped && round_add(a->p);
	} while (any);
	if (a->signals.stopped && submit_count(a->p))
		message_print("tau-experiment", "jobs that go on in the queue: %zu",
			      submit_count(a->p));
	return code;
}

int rounds_run(struct run_all *a, struct error *e)
{
	size_t before;
	int any = 1, code;

	run_sweep(a);
	run_plan_resume(a->p);
	code = run_store_find(a->p, DB_WRITE, e);
	before = runs_ended(a->p);
	if (code == 0 && before)
		message_print("tau-experiment", "%zu run%s complete, %zu to do", before,
			      before == 1 ? " is" : "s are", a->p->run_n - before);
	if (code == 0 && a->p->x->sbatch)
		return jobs_run(a, e);
	for (long round = 1; any && code == 0 && !a->signals.stopped; round++)
		code = round_run(a, round, &any, e);
	return code;
}
