/* report_flame.c: tau-report flame: a picture of the call paths of regions or samples, or its
 * folded stacks. */
#include <math.h>
#include <string.h>

#include "analyze/profile/call_tree.h"
#include "analyze/profile/profile.h"
#include "cmd/picture/flame.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_paths.h"
#include "cmd/report/times/time_tables.h"

static const char *value_text(const void *of, double value, char out[FLAME_TEXT])
{
	const struct time_paths *a = of;

	return time_short(a->o, a->p, a->metric, value, out);
}

/* One box below another for each node; roots that begin in the middle of paths are parts of others.
 */
static void boxes(struct flame *f, const struct call_tree *t)
{
	size_t *box = mem_alloc((t->v_n + 1) * sizeof(*box));
	int depth = 0;
	uint32_t at = call_tree_next(t, CALL_NONE, &depth);

	while (at != CALL_NONE) {
		const struct call_node *n = &t->v[at];

		if (n->open || !(n->incl > 0)) {
			at = call_tree_skip(t, at, &depth);
			continue;
		}
		box[at] = flame_box(f, n->parent == CALL_NONE ? 0 : box[n->parent],
				    call_tree_name(t, at), n->incl);
		at = call_tree_next(t, at, &depth);
	}
	free(box);
}

/* Times are whole ns, as they were recorded. */
static void folded(const struct time_paths *a, FILE *f)
{
	const struct call_tree *t = &a->tree;
	double size = profile_is_time(a->p, a->metric) ? 1000 : 1;
	int depth = 0;

	for (uint32_t at = call_tree_next(t, CALL_NONE, &depth); at != CALL_NONE;
	     at = call_tree_next(t, at, &depth)) {
		char *path;

		if (!(t->v[at].excl > 0))
			continue;
		path = call_tree_path(t, at);
		report_path_folded(f, NULL, path, NULL, t->v[at].excl * size);
		free(path);
	}
}

/* What of the run the picture does not have, and what shows it; to be freed. */
static char *other_parts(const struct time_paths *a)
{
	if (a->alone)
		return mem_string(TIME_PATHS_ALONE);
	if (a->of == PATHS_OF_THREADS && a->queues)
		return mem_printf("%u queue%s of devices %s not included: tau-report tree.",
				  a->queues, plural(a->queues), a->queues == 1 ? "is" : "are");
	return mem_string(a->others ? TIME_PATHS_OTHERS : "");
}

static void picture(const struct time_paths *a, FILE *to)
{
	struct flame f = {.text = value_text,
			  .of = a,
			  .hint = "A box is a region with all that it calls, which is under it. "
				  "Point at a box to see its value."};
	char whole[FLAME_TEXT], *subtitle, *note, *others = other_parts(a);
	const char *paths = "";
	const char *metric = a->samples                         ? "sampled CPU time"
			     : profile_is_time(a->p, a->metric) ? "wall-clock time"
								: a->p->metric[a->metric].name;

	flame_root(&f, "all", a->tree.whole);
	boxes(&f, &a->tree);
	subtitle = mem_printf("%s, %zu PE%s: width is %s, %s over %u thread%s.", a->r->run[0].title,
			      profile_pes(a->p), plural(profile_pes(a->p)), metric,
			      value_text(a, a->tree.whole, whole), a->tree.threads,
			      plural(a->tree.threads));
	if (!a->tree.paths)
		paths = "No call paths were recorded: regions are side by side.";
	note = mem_printf("%s%s%s", paths, *paths && *others ? " " : "", others);
	flame_print(&f, a->samples ? "Call paths of samples" : "Call paths", subtitle,
		    note, to);
	free(note);
	free(others);
	free(subtitle);
	flame_release(&f);
}

static int report_flame(const struct report_options *o, const struct report_runs *r,
			struct output *out, size_t width, struct error *e)
{
	struct time_paths a;
	int code = time_paths_begin(&a, "flame", "svg folded", o, r, e);

	(void)width;
	if (code)
		return code;
	if (o->format == REPORT_FOLDED)
		folded(&a, out->file);
	else
		picture(&a, out->file);
	time_paths_end(&a);
	return 0;
}

const struct report_kind kind_flame = {
	.name = "flame",
	.about = "picture of the call paths of regions or samples",
	.question = QUESTION_SLOW,
	.example = "-o paths.svg run",
	.print = report_flame,
	.options = REPORT_PICK "metric where samples sample-resolution threads",
	.lacks = "top sort",
	.whole = 1,
	.no_memory = 1,
	.part = REPORT_PART_PATHS,
	.format = "svg",
	.title = "Call paths",
	.page = REPORT_PAGE_PICTURE,
};
