/* tau-monitor.c: looks into a run while it is recorded. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "cmd/monitor/look.h"
#include "cmd/monitor/look_cells.h"
#include "cmd/shared/find_hosts.h"
#include "cmd/monitor/find_run.h"
#include "cmd/monitor/helper.h"
#include "cmd/monitor/host_news.h"
#include "cmd/shared/host_list.h"
#include "cmd/monitor/hosts.h"
#include "cmd/monitor/look_json.h"
#include "cmd/monitor/look_print.h"
#include "cmd/monitor/look_read.h"
#include "cmd/monitor/screen.h"
#include "cmd/monitor/serve.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/message.h"
#include "cmd/shared/option.h"
#include "cmd/shared/output.h"
#include "cmd/shared/plugin.h"
#include "cmd/shared/stop.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"
#include "convert/io/paths.h"

#define HOST_TIMEOUT_NS 60000000000
#define STATUS_MISSED	1 /* the last look is without some host */

struct monitor {
	struct look_run run;
	int once, json, csv, paths;
	long count, top, pid;
	const char *interval_text, *sort, *serve, *plugin_text, *job, *thread, *function;
	struct look_chosen chosen;
	/* of hosts */
	int stdio;
	const char *names, *file, *timeout_text;
	struct host_list list;
	struct host_way way;
	long fan_out;
	struct option_list given; /* names of the options on the command line */
	struct host_news news;
	int missed; /* the last look had no answer of some host */
	struct plugin plugin;
	int64_t interval_ns;
	size_t order;
};

static void look_pass(const struct monitor *m, const struct look *l)
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

static void hosts_print(struct monitor *m, const struct look *l)
{
	m->missed = 0;
	for (size_t i = 0; i < l->host_n; i++) {
		char *text = host_news(&m->news, &l->host[i]);

		m->missed |= l->host[i].state != LOOK_HOST_SHOWN;
		if (text)
			message_print("tau-monitor", "%s", text);
		free(text);
	}
}

/* What one thread or function has, in place of a look. */
static int cells_print(struct monitor *m, const struct look *l, int first, FILE *f,
		       struct error *e)
{
	struct profile *p = NULL;
	struct look_cells x;
	int code = look_profile(&m->run, l, &p, e);

	if (code)
		return code;
	code = look_cells_make(&x, p, &m->chosen, (enum look_order)m->order, e);
	if (!code && m->json)
		look_cells_json(l, &x, &m->chosen, m->run.path, f);
	else if (!code && m->csv)
		look_cells_csv(&x, &m->chosen, l, first, f);
	else if (!code)
		look_cells_text(&x, &m->chosen, l, m->run.path, (size_t)m->top,
				table_width(stdout), f);
	if (!code)
		look_cells_release(&x);
	profile_free(p);
	return code;
}

static int print(struct monitor *m, const struct look *l, int first, struct error *e)
{
	struct error none = {0};
	struct output out;
	int code = 0;

	if (m->plugin_text) {
		look_pass(m, l);
		fflush(stdout);
		return 0;
	}
	output_open(&out);
	if (m->chosen.of != CELLS_NONE)
		code = cells_print(m, l, first, out.file, e);
	else if (m->json)
		look_json(l, m->run.path, out.file);
	else if (m->csv)
		look_csv(l, first, out.file);
	else
		look_text(l, m->run.path, (size_t)m->top, table_width(stdout), out.file);
	if (!code && !m->json && !m->csv && !m->once)
		fputc('\n', out.file);
	output_close(&out, NULL, &none);
	fflush(stdout);
	return code;
}

/* Does a host that is tried again have what may still run? One that is lost for longer than the timeout is not waited for. */
static int hosts_may_return(const struct monitor *m, const struct look *l)
{
	for (size_t i = 0; l->unknown && i < l->host_n; i++) {
		const struct look_host *x = &l->host[i];

		if (!isnan(x->again) && !isnan(x->now) &&
		    x->lost < (double)m->way.timeout_ns / 1e9)
			return 1;
	}
	return 0;
}

/* Looks until nothing runs any more, or until there were enough of them. */
static int stream(struct monitor *m, struct error *e)
{
	unsigned wants = (m->csv ? 0 : LOOK_THREADS | LOOK_MEMORY | LOOK_RANKS | LOOK_HANG) |
			 (m->paths ? LOOK_PATHS : 0);
	long left = m->once ? 1 : m->count;
	/* A plug-in has to end, which may print what it has found. */
	int going = 1, stop = m->plugin_text ? stop_open() : -1;

	/* Text shows the first threads only. */
	m->run.threads = m->json ? 0 : (size_t)m->top;
	if (m->chosen.of != CELLS_NONE)
		wants = LOOK_CELLS | LOOK_HANG;

	for (int first = 1; going; first = 0) {
		struct look l;
		int code;

		if (!first && stop_wait(stop, m->interval_ns))
			break;
		code = look_read(&m->run, wants, &l, e);
		if (code) {
			close(stop);
			return code;
		}
		hosts_print(m, &l);
		look_sort(&l, (enum look_order)m->order);
		code = print(m, &l, first, e);
		going = !code && (l.running > 0 || hosts_may_return(m, &l)) &&
			(left == 0 || --left > 0) && !ferror(stdout);
		look_release(&l);
	}
	close(stop);
	return e->code;
}

/* A time of an option; 0: it is not given. */
static int time_get(const char *option, const char *text, int64_t *ns, struct error *e)
{
	const struct quantity_option time = {option, QUANTITY_TIME, "s", .least = "1ns",
					     .example = "500ms"};

	*ns = 0;
	return text ? quantity_option(&time, text, ns, e) : 0;
}

static int check(struct monitor *m, struct error *e)
{
	int code = choice_option("--sort", m->sort ? m->sort : "recent", look_orders, LOOK_ORDERS,
				 &m->order, e);

	if (!code)
		code = time_get("--interval", m->interval_text, &m->interval_ns, e);
	if (!code)
		code = time_get("--timeout", m->timeout_text, &m->way.timeout_ns, e);
	if (code)
		return code;
	if (m->json + m->csv + (m->serve != NULL) + (m->plugin_text != NULL) > 1)
		return error_set(e, ERROR_USAGE,
				 "--json, --csv, --serve and --plugin exclude each other");
	if (m->once && m->count)
		return error_set(e, ERROR_USAGE, "--once and --count exclude each other");
	if (m->count < 0 || m->top < 0)
		return error_set(e, ERROR_USAGE, "--count and --top need a number from 0");
	if (m->fan_out < 1)
		return error_set(e, ERROR_USAGE, "--fan-out needs a number from 1");
	if (m->serve && (m->once || m->count || m->interval_text))
		return error_set(e, ERROR_USAGE,
				 "--serve excludes --once, --count and --interval: it looks "
				 "at each request");
	if (!m->interval_ns)
		m->interval_ns = 1000000000;
	if (!m->way.timeout_ns)
		m->way.timeout_ns = HOST_TIMEOUT_NS;
	if (m->thread && m->function)
		return error_set(e, ERROR_USAGE, "--thread and --function exclude each other");
	if ((m->thread || m->function) && (m->serve || m->plugin_text || m->paths))
		return error_set(e, ERROR_USAGE, "--thread and --function exclude --callpath, "
						 "--serve and --plugin");
	m->chosen = (struct look_chosen){.of = m->function ? CELLS_FUNCTION : CELLS_NONE,
					 .function = (char *)m->function};
	if (m->thread && look_chosen_thread(&m->chosen, m->thread, e))
		return e->code;
	m->way.fan_out = (size_t)m->fan_out;
	m->way.retry = !m->once && m->count != 1;
	return 0;
}

/* Options about other hosts require such hosts. */
static int hosts_options_check(const struct monitor *m, struct error *e)
{
	static const char *const about_hosts[] = {"rsh", "remote-program", "fan-out", "timeout"};

	for (size_t i = 0; i < m->given.v_n; i++)
		for (size_t k = 0; k < sizeof(about_hosts) / sizeof(*about_hosts); k++)
			if (!strcmp(m->given.v[i], about_hosts[k]))
				return error_set(e, ERROR_USAGE,
						 "--%s is for runs on other hosts: name HOST:RUN, "
						 "or the hosts with --hosts or --hostfile",
						 about_hosts[k]);
	return 0;
}

static int looks(struct monitor *m, struct error *e)
{
	if (m->serve)
		return serve(&m->run, m->serve, e);
	if (m->plugin_text && plugin_open(&m->plugin, m->plugin_text, PLUGIN_LOOKS, e))
		return e->code;
	if (m->plugin_text || m->once || m->json || m->csv || m->count || !table_width(stdout))
		return stream(m, e);
	return screen(&m->run, m->interval_ns, (enum look_order)m->order, &m->chosen, e);
}

static int monitor(struct monitor *m, struct error *e)
{
	int code = check(m, e);

	if (code)
		return code;
	if (!m->list.place_n)
		return hosts_options_check(m, e) ? e->code : looks(m, e);
	m->run.hosts = hosts_begin(&m->list, &m->way);
	code = looks(m, e);
	hosts_end(m->run.hosts);
	return code;
}

/* ---- what is looked at ---- */

/* The run of a process or of a job is searched for on this host, so that its path has to be given for others. */
static int hosts_operand_check(const struct monitor *m, int n, struct error *e)
{
	char *pid = m->pid ? mem_printf("--pid %ld", m->pid) : NULL;
	char *found_by = pid ? pid : m->job ? mem_printf("--job %s", m->job) : NULL;
	const char *option = m->names ? "--hosts" : "--hostfile";

	if (found_by)
		error_set(e, ERROR_USAGE,
			  "%s looks at a run by its path: give RUN in place of %s; the first line "
			  "of 'tau-monitor --once %s' begins with it", option, found_by, found_by);
	else if (n != 1)
		error_set(e, ERROR_USAGE,
			  "%s looks at one run: for several, give HOST:RUN for each in place of %s",
			  option, option);
	free(found_by);
	return e->code;
}

/* HOST:PATH... or, with --hosts, PATH. *shown: the name of all of it, to be freed. */
static int hosts_find(struct monitor *m, char **operand, int n, char **shown, struct error *e)
{
	int hosts = m->names || m->file;
	char *path;

	if (hosts && hosts_operand_check(m, n, e))
		return e->code;
	if (hosts) {
		path = path_absolute(operand[0]);
		if (m->names && !strcmp(m->names, "auto"))
			find_hosts(operand[0], path, &m->list, e);
		else if (m->names)
			host_list_names(&m->list, m->names, path);
		if (m->file && !e->code)
			host_list_file(&m->list, m->file, path, e);
		free(path);
		*shown = mem_string(operand[0]);
	}
	for (int i = 0; i < n && !hosts; i++)
		if (host_target(operand[i]))
			host_list_target(&m->list, operand[i]);
		else
			return n == 1 ? 0
				      : error_set(e, ERROR_USAGE,
						  "several runs: each needs its host, HOST:PATH, "
						  "but %s has none", operand[i]);
	if (!hosts && n)
		*shown = n == 1 ? mem_string(operand[0])
				: mem_printf("%s and %d more", operand[0], n - 1);
	return e->code ? e->code : m->list.place_n || hosts ? host_list_check(&m->list, e) : 0;
}

static int run_find(struct monitor *m, char **operand, int n, char **found, struct error *e)
{
	int named = (n > 0) + (m->pid != 0) + (m->job != NULL), code;

	if (m->stdio) {
		if (n > 1 || m->pid || m->job || m->names || m->file)
			return error_set(e, ERROR_USAGE, "--stdio looks at one run");
		m->run.path = n ? operand[0] : NULL;
		return 0;
	}
	if (named != 1)
		return error_set(e, ERROR_USAGE,
				 named > 1 ? "name one of: a run, a process, a job"
					   : "name one run");
	code = hosts_find(m, operand, n, found, e);
	if (code)
		return code;
	if (m->pid)
		code = find_run(m->pid, found, e);
	if (m->job)
		code = find_run_of_job(m->job, found, e);
	m->run.path = *found ? *found : operand[0];
	return code;
}

/* This program's name on other hosts: as it was called here, if that is a path from the root, as mpirun(1) has it. */
static const char *program_there(const char *called)
{
	return *called == '/' ? called : "tau-monitor";
}

int main(int argc, char **argv)
{
	struct monitor m = {.top = 20, .fan_out = 16, .way = {.rsh = "ssh"}};
	struct error e = {0};
	const struct option options[] = {
		OPTION_HEADING("Which run"),
		{0, "pid", OPTION_NUMBER, "PID",
		 "look at the run that records this process, or one that it started", &m.pid},
		{0, "job", OPTION_TEXT, "JOB",
		 "look at the run of this job of Slurm, PBS, LSF, Flux, Cobalt or mpirun", &m.job},
		OPTION_HEADING("How often"),
		{0, "once", OPTION_FLAG, NULL, "print one look and end", &m.once},
		{'n', "count", OPTION_NUMBER, "N",
		 "end after N looks (default: when the run has ended)", &m.count},
		{0, "interval", OPTION_TEXT, "TIME",
		 "look again after TIME (default: 1s; default unit: s)", &m.interval_text},
		OPTION_HEADING("What it shows"),
		{0, "sort", OPTION_TEXT, "KEY",
		 "order regions by recent (default), exclusive, inclusive, calls or name", &m.sort},
		{0, "top", OPTION_NUMBER, "N",
		 "show N regions and threads as text (default: 20; 0: all)",
		 &m.top},
		{0, "callpath", OPTION_FLAG, NULL, "show call paths in place of regions", &m.paths},
		{0, "thread", OPTION_TEXT, "NODE[.THREAD]",
		 "show the functions of this thread, or of all threads of a node", &m.thread},
		{0, "function", OPTION_TEXT, "NAME",
		 "show this function on all threads, contexts and nodes", &m.function},
		OPTION_HEADING("Where it goes"),
		{0, "json", OPTION_FLAG, NULL, "print each look as one line of JSON", &m.json},
		{0, "csv", OPTION_FLAG, NULL, "print the regions of each look as CSV", &m.csv},
		{0, "serve", OPTION_TEXT, "WHERE",
		 "answer HTTP requests with OpenMetrics and JSON on PORT of localhost, or on the "
		 "Unix socket PATH", &m.serve},
		{0, "plugin", OPTION_TEXT, "FILE[:ARGUMENT]",
		 "give each look to this plug-in, tau-plugin(7); print nothing", &m.plugin_text},
		OPTION_HEADING("Several hosts"),
		{0, "hosts", OPTION_TEXT, "HOST,...",
		 "look at the processes on these hosts, or on all hosts of the run (auto)",
		 &m.names},
		{0, "hostfile", OPTION_TEXT, "FILE",
		 "look at the processes on the hosts in FILE, a hostfile of mpirun", &m.file},
		{0, "rsh", OPTION_TEXT, "COMMAND",
		 "reach other hosts with this command and its options (default: ssh)", &m.way.rsh},
		{0, "remote-program", OPTION_TEXT, "PATH",
		 "start this tau-monitor on other hosts", &m.way.program},
		{0, "fan-out", OPTION_NUMBER, "N",
		 "start N helpers, which start N each, and so on (default: 16)", &m.fan_out},
		{0, "timeout", OPTION_TEXT, "TIME",
		 "give up a host that does not answer for TIME (default: 60s; default unit: s)",
		 &m.timeout_text},
		{0, "stdio", OPTION_FLAG, NULL,
		 "answer another tau-monitor on standard input and output", &m.stdio},
		{0}};
	const struct program program = {
		.name = "tau-monitor",
		.usage = "[OPTION...] RUN | HOST:RUN...",
		.about = "Shows what a program does while tau-record records it. On a terminal "
			 "the view is interactive (? lists its keys). Elsewhere, it prints one "
			 "look at each interval: the state of the run at this time. The program "
			 "is neither stopped nor slowed down.",
		.options = options,
		.project = "interval sort top callpath",
		.given = &m.given,
	};
	int at = options_parse(&program, argc, argv), rc, status;
	char *found = NULL;

	if (!m.way.program)
		m.way.program = program_there(argv[0]);
	rc = run_find(&m, argv + at, argc - at, &found, &e);
	m.run.paths = m.paths;
	if (!rc)
		rc = m.stdio ? helper_serve(&m.run, &e) : monitor(&m, &e);
	status = plugin_close(&m.plugin);
	look_run_release(&m.run);
	host_list_release(&m.list);
	host_news_release(&m.news);
	free(found);
	free(m.given.v);
	if (!rc && !status && m.missed)
		status = STATUS_MISSED;
	return rc ? program_fail(&program, &e) : program_end(&program, status);
}
