/* overview_waits.c: wait states of a trace in an overview: the patterns with most time, and who
 * waits longest; efficiency comes from the same pass. */
#include <math.h>
#include <string.h>

#include "analyze/messages/waits.h"
#include "cmd/report/overview.h"
#include "cmd/report/report_trace.h"
#include "cmd/shared/region_name.h"
#include "convert/formats.h"

#define PATTERNS 3

/* All waits of a pattern, and the process and path with the most. */
struct pattern {
	enum wait_pattern pattern;
	double ns, worst_ns;
	uint64_t n;
	uint32_t process, path;
};

static int longest(const void *va, const void *vb)
{
	const struct pattern *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (int)a->pattern - (int)b->pattern;
}

static void sum_up(const struct waits *w, struct pattern v[WAIT_PATTERNS])
{
	for (int i = 0; i < WAIT_PATTERNS; i++)
		v[i] = (struct pattern){.pattern = (enum wait_pattern)i};
	for (size_t i = 0; i < w->waits.v_n; i++) {
		const struct wait_row *r = &w->waits.v[i];
		struct pattern *p = &v[r->pattern];

		if (!wait_is_caused(r->pattern))
			continue;
		p->ns += r->ns;
		p->n += r->n;
		if (r->ns > p->worst_ns) {
			p->worst_ns = r->ns;
			p->process = r->process;
			p->path = r->path;
		}
	}
	qsort(v, WAIT_PATTERNS, sizeof(*v), longest);
}

static void add(struct overview *x, const struct report_trace *t, const struct waits *w)
{
	struct pattern v[WAIT_PATTERNS];
	char *run = overview_run(x);
	double all = 0;

	sum_up(w, v);
	for (int i = 0; i < WAIT_PATTERNS; i++)
		all += v[i].ns;
	overview_add(x, "waiting", mem_string("for other PEs"), UNIT_TIME, all / 1000, NULL);
	for (int i = 0; i < PATTERNS && v[i].ns > 0; i++) {
		char *full = report_trace_path(t, v[i].path), *path = region_name_short(full);
		int64_t node = t->trace->process[v[i].process].node;

		overview_add(x, "waiting", mem_string(wait_name(v[i].pattern)), UNIT_TIME,
			     v[i].ns / 1000,
			     mem_printf("%llu waits, longest sum on rank %lld",
					(unsigned long long)v[i].n, (long long)node));
		overview_find(x, mem_printf("waiting: %s", wait_name(v[i].pattern)), UNIT_TIME,
			      v[i].ns / 1000,
			      mem_printf("rank %lld waits longest, in %s", (long long)node, path),
			      mem_printf("tau-report waits %s", run));
		free(full);
		free(path);
	}
	free(run);
}

int overview_waits(struct overview *x)
{
	struct report_trace t;
	struct waits w = {0};
	struct messages_use use[2];
	struct error none = {0};
	int found = 0;

	if (x->o->db || x->o->operand_n != 1 || !trace_format_of(x->o->operand[0]) ||
	    (x->o->load && x->o->load->only))
		return 0;
	if (!report_trace_open(x->o, "overview", &t, &none)) {
		use[0] = waits_use(&w, &t.messages);
		use[1] = efficiency_use(&x->efficiency, &t.messages);
		found = !report_trace_read(&t, use, 2, &none) &&
			(t.messages.found.matched || t.messages.found.meetings);
	}
	if (found) {
		waits_end(&w);
		efficiency_end(&x->efficiency);
		add(x, &t, &w);
	}
	waits_release(&w);
	report_trace_release(&t);
	return found;
}
