/* db_series.c: imports several runs, and goes on after one that cannot be imported. */
#include "cmd/db/db_series.h"

#include <stdio.h>
#include <string.h>

#include "cmd/shared/guard.h"
#include "cmd/shared/message.h"
#include "cmd/shared/parallel.h"
#include "convert/formats.h"
#include "convert/io/input.h"

/* Runs that are not stored. */
struct outcome {
	const struct run_series *s;
	size_t failed, untried;	/* all of them; those after an error of the database */
	int code;		/* of the first */
};

static void explain_signal(const char *run, int number, struct error *e)
{
	struct input *in = input_new(run);

	if (!otf2_is(in) || !guard_crash(run, number, e))
		error_set(e, ERROR_SYSTEM, "%s: a signal ended its import (%s)", run,
			  strsignal(number));
	input_free(in);
}

static void run_failed(void *to, size_t i, struct job_failure *f)
{
	struct outcome *o = to;
	const char *run = o->s->run[i];

	if (f->signal)
		explain_signal(run, f->signal, &f->e);
	if (!o->failed)
		o->code = f->e.code;
	o->failed++;
	if (f->last) {
		o->untried = o->s->n - i - 1;
		o->failed += o->untried;
	}
	if (!parallel_writes(o->s->ranks))
		return;
	fflush(stdout);
	/* Most errors begin with the name of the file. */
	if (strstr(f->e.text, run) || f->last)
		message_print("tau-db import", "%s", f->e.text);
	else
		message_print("tau-db import", "%s: %s", run, f->e.text);
}

static int one_of_alone(void *to, size_t i, struct job_failure *f)
{
	const struct run_series *s = ((struct outcome *)to)->s;

	return s->one(s->to, i, f);
}

/* All ranks import the same runs in the same order; what fails on one has failed on all. */
static void import_shared(struct outcome *o)
{
	const struct run_series *s = o->s;
	int last = 0;

	for (size_t i = 0; !last && i < s->n; i++) {
		struct job_failure f = {0};
		int code = s->one(s->to, i, &f);
		struct error why;

		code = ranks_settle(s->ranks, code, &f.e);
		why = f.e;
		last = f.last = ranks_agree(s->ranks, f.last ? code : 0, &why) < 0;
		if (code < 0)
			run_failed(o, i, &f);
	}
}

static int outcome_end(const struct outcome *o, struct error *e)
{
	if (!o->failed)
		return 0;
	if (o->untried)
		return error_set(e, o->code,
				 "%zu of %zu runs are not stored: the last %zu %s not tried",
				 o->failed, o->s->n, o->untried,
				 o->untried == 1 ? "was" : "were");
	return error_set(e, o->code, "%zu of %zu runs %s not stored", o->failed, o->s->n,
			 o->failed == 1 ? "is" : "are");
}

int series_import(const struct run_series *s, struct error *e)
{
	struct outcome o = {.s = s};
	const struct jobs jobs = {&o, one_of_alone, run_failed};
	struct job_failure f = {0};
	int code = 0;

	if (s->n < 2) {
		code = s->n ? s->one(s->to, 0, &f) : 0;
		if (code < 0)
			*e = f.e;
		return code;
	}
	if (s->ranks)
		import_shared(&o);
	else
		code = jobs_run(&jobs, s->n, s->at_once, e);
	return code < 0 ? code : outcome_end(&o, e);
}
