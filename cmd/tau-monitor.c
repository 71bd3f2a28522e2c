/* tau-monitor.c: looks into a run while it is recorded. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/window/window.h"
#include "cmd/monitor/look.h"
#include "cmd/monitor/look_print.h"
#include "cmd/monitor/screen.h"
#include "cmd/monitor/serve.h"
#include "cmd/monitor/find_run.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/option.h"
#include "cmd/shared/output.h"
#include "cmd/shared/plugin.h"
#include "cmd/shared/stop.h"
#include "cmd/shared/table.h"

struct monitor {
	struct look_run run;
	int once, json, csv, paths;
	long count, top, pid;
	const char *interval_text, *sort, *serve, *plugin_text, *job;
	struct plugin plugin;
	int64_t interval_ns;
	size_t order;
};

static void give(const struct monitor *m, const struct look *l)
{
	struct tau_plugin_region *region = mem_alloc((l->region_n + 1) * sizeof(*region));

	for (size_t i = 0; i < l->region_n; i++) {
		const struct look_region *r = &l->region[i];

		region[i] = (struct tau_plugin_region){r->name, r->groups,    r->calls,	  r->excl,
						       r->incl, r->new_calls, r->new_excl};
	}
	plugin_look(&m->plugin,
		    &(struct tau_plugin_look){m->run.path, l->now, region, l->region_n});
	free(region);
}

static void print(const struct monitor *m, const struct look *l, int first)
{
	if (m->plugin_text)
		give(m, l);
	else if (m->json)
		look_json(l, m->run.path, stdout);
	else if (m->csv)
		look_csv(l, first, stdout);
	else
		look_text(l, m->run.path, (size_t)m->top, table_width(stdout), stdout);
	if (!m->json && !m->csv && !m->once && !m->plugin_text)
		fputc('\n', stdout);
	fflush(stdout);
}

/* Looks until nothing runs any more, or until there were enough of them. */
static int stream(struct monitor *m, struct error *e)
{
	unsigned wants = (m->csv ? 0 : LOOK_THREADS | LOOK_MEMORY) | (m->paths ? LOOK_PATHS : 0);
	long left = m->once ? 1 : m->count;
	/* A plug-in has to end, which may print what it has found. */
	int going = 1, stop = m->plugin_text ? stop_open() : -1;

	/* Text shows the first threads only. */
	m->run.threads = m->json ? 0 : (size_t)m->top;

	for (int first = 1; going; first = 0) {
		struct look l;
		int code;

		if (!first && stop_wait(stop, m->interval_ns))
			break;
		code = look_take(&m->run, wants, &l, e);
		if (code) {
			close(stop);
			return code;
		}
		look_sort(&l, (enum look_order)m->order);
		print(m, &l, first);
		going = l.running > 0 && (left == 0 || --left > 0) && !ferror(stdout);
		look_release(&l);
	}
	close(stop);
	return 0;
}

static int check(struct monitor *m, struct error *e)
{
	struct window_series every = {0};
	int code = choice_option("--sort", m->sort ? m->sort : "recent", look_orders, LOOK_ORDERS,
				 &m->order, e);

	if (code)
		return code;
	if (m->json + m->csv + (m->serve != NULL) + (m->plugin_text != NULL) > 1)
		return error_set(e, ERROR_USAGE,
				 "--json, --csv, --serve and --plugin exclude each other");
	if (m->once && m->count)
		return error_set(e, ERROR_USAGE, "--once and --count exclude each other");
	if (m->count < 0 || m->top < 0)
		return error_set(e, ERROR_USAGE, "--count and --top need a number from 0");
	if (m->serve && (m->once || m->count || m->interval_text))
		return error_set(e, ERROR_USAGE,
				 "--serve looks when it is asked: it has no use for --once, "
				 "--count and --interval");
	m->interval_ns = 1000000000;
	if (m->interval_text && (window_every(m->interval_text, &every, e) || !every.every_ns))
		return error_set(e, ERROR_USAGE,
				 "--interval needs a time with its unit, such as 500ms or 2s, "
				 "not '%s'",
				 m->interval_text);
	if (every.every_ns)
		m->interval_ns = every.every_ns;
	return 0;
}

static int monitor(struct monitor *m, struct error *e)
{
	int code = check(m, e);

	if (code)
		return code;
	if (m->serve)
		return serve(&m->run, m->serve, e);
	if (m->plugin_text && plugin_open(&m->plugin, m->plugin_text, e))
		return e->code;
	if (m->plugin_text || m->once || m->json || m->csv || m->count || !table_width(stdout))
		return stream(m, e);
	return screen(&m->run, m->interval_ns, (enum look_order)m->order, e);
}

int main(int argc, char **argv)
{
	struct monitor m = {.top = 20};
	struct error e = {0};
	const struct option options[] = {
		{0, "once", OPTION_FLAG, NULL, "print one look and end", &m.once},
		{0, "json", OPTION_FLAG, NULL, "print each look as one line of JSON", &m.json},
		{0, "csv", OPTION_FLAG, NULL, "print the regions of each look as CSV", &m.csv},
		{'n', "count", OPTION_NUMBER, "N",
		 "end after N looks (default: when the run has ended)", &m.count},
		{0, "interval", OPTION_TEXT, "TIME", "look again after TIME (default: 1s)",
		 &m.interval_text},
		{0, "sort", OPTION_TEXT, "KEY",
		 "order regions by recent (default), exclusive, inclusive, calls or name", &m.sort},
		{0, "top", OPTION_NUMBER, "N",
		 "show N regions and threads as text (default: 20; 0: all)",
		 &m.top},
		{0, "callpath", OPTION_FLAG, NULL, "show call paths in place of regions", &m.paths},
		{0, "pid", OPTION_NUMBER, "PID",
		 "look at the run that records this process, or one that it started", &m.pid},
		{0, "job", OPTION_TEXT, "JOB",
		 "look at the run of this job of Slurm, PBS, LSF, Flux, Cobalt or mpirun", &m.job},
		{0, "plugin", OPTION_TEXT, "FILE[:ARGUMENT]",
		 "give each look to this plug-in, tau-plugin(7), and print none", &m.plugin_text},
		{0, "serve", OPTION_TEXT, "WHERE",
		 "answer HTTP requests in the OpenMetrics format on PORT of localhost, or on the "
		 "Unix socket PATH", &m.serve},
		{0}};
	const struct program program = {
		.name = "tau-monitor",
		.usage = "[OPTION...] RUN",
		.about = "Shows what a program does while tau-record records it. On a terminal "
			 "the view is\ninteractive (? lists its keys); otherwise each look is "
			 "printed. The program is neither\nstopped nor slowed down.",
		.options = options,
	};
	int at = options_parse(&program, argc, argv), rc = 0, status, named;
	char *found = NULL;

	named = (at < argc) + (m.pid != 0) + (m.job != NULL);
	if (named != 1 || argc - at > 1)
		rc = error_set(&e, ERROR_USAGE,
			       named > 1 ? "name one of: a run, a process, a job" : "name one run");
	if (!rc && m.pid)
		rc = find_run(m.pid, &found, &e);
	if (!rc && m.job)
		rc = find_run_of_job(m.job, &found, &e);
	m.run.path = found ? found : argv[at];
	m.run.paths = m.paths;
	if (!rc)
		rc = monitor(&m, &e);
	status = plugin_close(&m.plugin);
	look_run_release(&m.run);
	free(found);
	return rc ? program_fail(&program, &e) : program_end(&program, status);
}
