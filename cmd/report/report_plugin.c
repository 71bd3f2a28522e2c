/* report_plugin.c: tau-report plugin PLUGIN: the profiles of runs, for a plug-in. */
#include "cmd/report/report.h"
#include "cmd/shared/plugin.h"

static int report_plugin(const struct report_options *o, const struct report_runs *r,
			 struct output *out, size_t width, struct error *e)
{
	struct plugin p;
	int code = plugin_open(&p, o->word, PLUGIN_LOOKS, e);

	(void)out;
	(void)width;
	for (size_t i = 0; i < r->run_n && !code; i++)
		plugin_profile(&p, r->run[i].name, r->run[i].profile);
	return code ? code : plugin_close(&p);
}

const struct report_kind kind_plugin = {
	.name = "plugin",
	.about = "give the regions of each run to a shared object, tau-plugin(7)",
	.question = QUESTION_PLUGIN,
	.runs = "RUN...",
	.example = "./my-plugin.so run",
	.print = report_plugin,
	.options = REPORT_PICK "where",
	.lacks = "format output sort top unit explain",
	.whole = 1,
	.part = REPORT_PART,
	.word = "PLUGIN",
	.several = 1,
};
