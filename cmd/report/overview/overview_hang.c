/* overview_hang.c: the finding about a run that hangs, or hung until it was killed. */
#include <ctype.h>
#include <math.h>

#include "analyze/hang/ends.h"
#include "analyze/hang/hang.h"
#include "cmd/hang/hang_rows.h"
#include "cmd/hang/hang_text.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/overview/overview.h"
#include "cmd/report/report.h"

#define LEAST_NS 1000000000	/* a shorter time without an event is not a hang */

/* Did any process not end by itself? */
static int is_cut(const struct trace *t)
{
	int cut = 0;

	for (size_t i = 0; i < t->process_n && !cut; i++)
		cut = t->process[i].running || t->process[i].ended == TRACE_END_KILLED;
	return cut;
}

static int is_waiting(const struct hang *h, size_t i)
{
	return h->thread[i].state == HANG_BLOCKED || h->thread[i].state == HANG_WAITS;
}

/* us that threads have waited; *most: ns of the one that has waited longest. */
static double waited(const struct hang *h, int64_t *most)
{
	double us = 0;

	*most = 0;
	for (size_t i = 0; i < h->ends->thread_n; i++) {
		int64_t ns = is_waiting(h, i) ? ends_until(h->ends, i) - h->thread[i].since : 0;

		us += (double)ns / 1000;
		*most = ns > *most ? ns : *most;
	}
	return us;
}

static void find(struct overview *x, const struct report_trace *r, const struct hang *h)
{
	char *sentence, *run;
	int64_t most;
	double us = waited(h, &most);

	if (most < LEAST_NS)
		return;
	sentence = hang_sentence(h, &(struct hang_style){r->trace, r->text,
							 report_unit_time(r->o)});
	*sentence = (char)tolower((unsigned char)*sentence);
	run = overview_run(x);
	overview_find(x, TOPIC_HANG,
		      mem_string(h->in_state[HANG_BLOCKED] ? "it hangs" : "it waits at its end"),
		      UNIT_TIME, us, sentence, mem_printf("tau-report hang %s", run));
	free(run);
}

int overview_hang(struct overview *x, struct report_trace *r, struct error *e)
{
	struct thread_ends ends = {0};
	struct hang h = {0};
	int code;

	if (!is_cut(r->trace))
		return 0;
	code = ends_read(&ends, r->trace, e);
	if (!code) {
		hang_find(&h, &ends, HANG_LEAST);
		find(x, r, &h);
	}
	hang_release(&h);
	ends_release(&ends);
	return code;
}
