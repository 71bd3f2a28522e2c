/* overview_memory.c: memory that rises until the end of the program, of a trace with allocations. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/anomalies/rising_memory.h"
#include "analyze/profile/profile.h"
#include "cmd/report/overview/overview.h"
#include "cmd/report/overview/overview_memory.h"
#include "cmd/table/table_text.h"
#include "record/metadata.h"

#define NAME_WIDTH 100 /* of a call site */

/* Bytes that a search for leaks found, in all processes. */
static double lost_bytes(const struct profile *p)
{
	double lost = 0;

	for (uint32_t i = 0; i < p->thread_n; i++) {
		double bytes = profile_meta_number(p, i, TAU_META_MEMORY_LOST_BYTES);

		lost += !isnan(bytes) && !p->thread[i].thread ? bytes : 0;
	}
	return lost;
}

/* "most from remember [a.c:8]", or what is known of it; the caller frees it. NULL: nothing is. */
static char *cause_text(const struct overview *x, const struct trace *t, uint32_t cause)
{
	const char *site = cause == TRACE_NONE ? NULL : trace_memtype_site(t, cause);
	char *name, *text;

	if (cause == TRACE_NONE)
		return NULL;
	name = overview_name(x, site ? site : t->memtype[cause].name, NAME_WIDTH);
	text = mem_printf(site ? "most from %s" : "most is %s", name);
	free(name);
	return text;
}

void overview_rising(struct overview *x, const struct trace *t, const struct rising_memory *r)
{
	char from[QUANTITY_TEXT], to[QUANTITY_TEXT], *cause, *detail, *run;

	if (!r->risen || lost_bytes(x->p) >= r->all)
		return;
	run = overview_run(x);
	cause = cause_text(x, t, r->cause);
	quantity_size_text(r->from, from);
	quantity_size_text(r->to, to);
	detail = mem_printf("rank %d from %s to %s in the second half of its time%s%s",
			    (int)t->process[r->most].node, from, to, cause ? ", " : "",
			    cause ? cause : "");
	overview_add(x, SECTION_MEMORY, mem_string("rises until the end"), UNIT_BYTES, r->all,
		     mem_string(detail));
	overview_find(x, TOPIC_MEMORY, mem_string("memory that rises until the end"), UNIT_BYTES,
		      r->all, detail,
		      mem_printf("tau-report memory --by %s %s",
				 cause && trace_memtype_site(t, r->cause) ? "site" : "time", run))
		->weight = 100 * (r->to - r->from) / r->to;
	free(cause);
	free(run);
}
