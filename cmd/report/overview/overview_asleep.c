/* overview_asleep.c: threads that slept outside of the calls that were recorded, by the clocks of the kernel. */
#include <math.h>
#include <stdlib.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "cmd/report/overview/overview.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/table/table_text.h"

const char *overview_without(const struct overview *x)
{
	int files = x->files.calls > 0;

	return !x->trace || (files && x->locks) ? NULL
	       : files ? "the recording has no waits for locks (tau-record --wrap pthread)"
	       : x->locks
		       ? "the recording has no files (tau-record --wrap io)"
		       : "the recording has no waits for locks and no files (tau-record "
			 "--wrap io,pthread)";
}

/* us, at least: all that a thread spent in calls that can wait may have been sleep. */
static double outside(const struct thread_row *r)
{
	return fmax(0, r->asleep - (r->time - r->work[WORK_COMPUTE]));
}

void overview_asleep(struct overview *x)
{
	const struct thread_row *most = NULL;
	const char *without = overview_without(x);
	double us = 0;
	size_t n = 0;
	char text[QUANTITY_TEXT], *run;

	if (x->p->window || !profile_is_time(x->p, x->metric))
		return;
	for (size_t i = 0; i < x->threads.v_n; i++) {
		const struct thread_row *r = &x->threads.v[i];

		if (r->waits || isnan(r->asleep) || !(outside(r) > 0))
			continue;
		us += outside(r);
		n++;
		if (!most || outside(r) > outside(most))
			most = r;
	}
	if (!most || us * 1000 < x->whole)
		return;
	time_short(x->o, x->p, x->metric, outside(most), text);
	overview_add(x, SECTION_WAITING, mem_string("asleep outside of recorded calls"), UNIT_TIME,
		     us, mem_printf("%zu thread%s, most %d.%d", n, plural(n), most->node,
				    most->thread));
	run = overview_run(x);
	overview_find(x, TOPIC_ASLEEP, mem_string("asleep outside of recorded calls"), UNIT_TIME,
		      us,
		      mem_printf("%zu thread%s; thread %d.%d longest, %s; %s", n, plural(n),
				 most->node, most->thread, text,
				 without ? without : "no wrapper recorded what they waited for"),
		      mem_printf("tau-report profile --by thread %s", run));
	free(run);
}
