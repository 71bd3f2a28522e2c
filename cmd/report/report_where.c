/* report_where.c: selects the runs of a report by a condition on their facts and metadata. */
#include "cmd/report/report_runs.h"
#include "cmd/shared/trial_facts.h"
#include "cmd/shared/trial_where.h"

int report_where_none(const struct report_options *o, const char *what, struct error *e)
{
	return error_set(e, ERROR_INPUT, "--where: no %s is '%s'", what, o->where);
}

/* keep[i]: run number i is selected. */
static int select_runs(const struct report_options *o, const struct report_runs *r, char *keep,
		       struct error *e)
{
	const struct profile **run = mem_alloc((r->run_n + 1) * sizeof(*run));
	const char **name = mem_alloc((r->run_n + 1) * sizeof(*name));
	struct where *w = NULL;
	struct facts f;
	int code;

	for (size_t i = 0; i < r->run_n; i++) {
		run[i] = r->run[i].profile;
		name[i] = r->run[i].title;
	}
	facts_of_runs(&f, run, name, r->run_n);
	code = where_parse(o->where, &f, &w, e);
	for (size_t i = 0; code == 0 && i < r->run_n; i++)
		keep[i] = (char)where_holds(w, &f, i);
	where_free(w);
	facts_release(&f);
	free(run);
	free(name);
	return code;
}

int report_where_runs(const struct report_options *o, struct report_runs *r, struct error *e)
{
	char *keep = mem_alloc(r->run_n + 1);
	size_t kept = 0, selected = 0;
	int code = select_runs(o, r, keep, e);

	for (size_t i = 0; code == 0 && i < r->run_n; i++) {
		int after = r->run[i].operand >= o->baseline_n;

		if (after && !keep[i]) {
			report_run_release(&r->run[i]);
			continue;
		}
		selected += (size_t)after;
		r->run[kept++] = r->run[i];
	}
	if (code == 0) {
		r->run_n = kept;
		code = selected ? 0 : report_where_none(o, "run", e);
	}
	free(keep);
	return code;
}
