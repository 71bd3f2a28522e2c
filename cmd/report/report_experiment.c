/* report_experiment.c: loads an experiment of Extra-P: one file that is several runs. */
#include <string.h>

#include "cmd/report/report_runs.h"
#include "cmd/shared/parallel.h"
#include "convert/io/blob.h"
#include "convert/io/input.h"
#include "convert/text/extrap.h"

static int is_experiment(struct input *in)
{
	struct blob begin;
	int is;

	if (blob_peek(in, &begin))
		return 0;
	is = extrap_is(begin.p, begin.n);
	blob_release(&begin);
	return is;
}

static void note_measurements(struct report_runs *r, const char *path, const struct extrap *x)
{
	struct note n = {.kind = NOTE_CHOICE};

	n.text = x->least == x->most
			 ? mem_printf("%s: experiment of Extra-P; values are means of %zu "
				      "measurement%s",
				      path, x->most, plural(x->most))
			 : mem_printf("%s: experiment of Extra-P; values are means of %zu to %zu "
				      "measurements",
				      path, x->least, x->most);
	*array_add(r, note) = n;
}

int report_load_experiment(const char *path, const struct report_options *o, struct report_runs *r,
			   struct error *e)
{
	struct load_report said = {0};
	struct extrap x;
	struct blob file;
	int code;

	if (!is_experiment(inputs_get(o->known, path)))
		return 0;
	if (o->window || o->series)
		return error_set(e, ERROR_USAGE, "%s: an experiment of Extra-P has no windows",
				 path);
	code = blob_read(path, &file, e);
	if (code)
		return code;
	code = extrap_read(path, file.p, file.n, &x, e);
	blob_release(&file);
	for (size_t i = 0; !code && i < x.point_n && parallel_writes(o->ranks); i++) {
		size_t pes = x.profile[i]->summary.pes;

		runs_add(r, mem_printf("%s: %zu PE%s", path, pes, plural(pes)),
			 mem_printf("%zu PE%s", pes, plural(pes)), x.profile[i], &said);
		x.profile[i] = NULL;
	}
	if (!code && parallel_writes(o->ranks))
		note_measurements(r, path, &x);
	extrap_release(&x);
	return code < 0 ? code : 1;
}
