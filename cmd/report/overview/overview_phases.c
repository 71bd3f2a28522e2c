/* overview_phases.c: the phases of a program, as a tree of a few rows. */
#include <math.h>

#include "analyze/base/quantity.h"
#include "analyze/messages/phases.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/overview/overview.h"

/* "max/mean 1.41, most on rank 3; 28.9 % of it waits" */
static char *detail(const struct report_trace *r, const struct phases *p, const struct phase *v)
{
	double mean = v->ns / (p->first_threads ? p->first_threads : 1);
	char share[QUANTITY_TEXT], *unequal, *both;
	int waits = v->waiting >= 0.005 * v->ns;

	unequal = p->first_threads > 1
			  ? mem_printf("max/mean %.2f, most on rank %d", v->largest / mean,
				       r->trace->process[v->largest_at].node)
			  : mem_string("");
	both = mem_printf("%s%s%s%s", unequal, *unequal && waits ? "; " : "",
			  waits ? quantity_percent_text(100 * v->waiting / v->ns, share) : "",
			  waits ? " of it waits" : "");
	free(unequal);
	return both;
}

/* In text the name below that of the row that it is inside of, elsewhere the call path. */
static char *name_of(const struct overview *x, const struct report_trace *r, const struct phase *v)
{
	uint32_t region = r->messages.paths.v[v->path].region;
	char *name, *text;

	if (x->o->format != REPORT_TEXT)
		return report_trace_path(r, v->path);
	name = overview_name(x, r->trace->region[region].name, SIZE_MAX);
	text = mem_printf("%*s%s", (int)(2 * v->depth), "", name);
	free(name);
	return text;
}

void overview_phases(struct overview *x, const struct report_trace *r, const struct phases *p)
{
	for (size_t i = 0; i < p->v_n; i++) {
		const struct phase *v = &p->v[i];

		overview_add(x, SECTION_PHASES, name_of(x, r, v), UNIT_TIME, v->ns / 1000,
			     detail(r, p, v));
		x->fact[x->fact_n - 1].share = p->whole > 0 ? 100 * v->ns / p->whole : NAN;
	}
}
