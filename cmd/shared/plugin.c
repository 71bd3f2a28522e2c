/* plugin.c: loads plug-ins with dlopen(). */
#include "cmd/shared/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/profile/region_rows.h"
#include "analyze/profile/waiting_threads.h"

#define SYMBOL	    "tau_plugin"
#define STATUS_MOST 125 /* above are those of shells */

/* What the plug-in's functions are called for, while they run: a crash is then theirs. */
static char crash_text[400];
static const char *volatile in_function;

static void report(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

/* Reports where it happened; then the signal ends the program as it would have. */
static void crashed(int number)
{
	if (in_function) {
		report(crash_text);
		report(in_function);
		report("()\n");
	}
	signal(number, SIG_DFL);
	raise(number);
}

static void crashes_watch(const char *file, const char *name)
{
	static const int number[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

	snprintf(crash_text, sizeof(crash_text), "%s: %s: the plug-in %s crashed in its function ",
		 program_invocation_short_name, file, name);
	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		signal(number[i], crashed);
}

/* A name without a slash is a file of this directory, not one of the system. */
static void *library_open(const char *file)
{
	char *path = mem_printf("%s%s", strchr(file, '/') ? "" : "./", file);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	free(path);
	return library;
}

static int table_check(const struct plugin *p, enum plugin_use use, const char *file,
		       struct error *e)
{
	const struct tau_plugin *t = p->table;

	if (!t)
		return error_set(e, ERROR_INPUT,
				 "%s: this is not a plug-in: it defines no variable " SYMBOL
				 "; see tau-plugin(7)",
				 file);
	if (t->version != TAU_PLUGIN_VERSION)
		return error_set(e, ERROR_INPUT,
				 "%s: it is a plug-in of version %u; this program loads version %d",
				 file, t->version, TAU_PLUGIN_VERSION);
	if (t->size < sizeof(*t))
		return error_set(e, ERROR_INPUT,
				 "%s: the table of the plug-in has %u bytes, not %zu",
				 file, t->size, sizeof(*t));
	if (!t->name)
		return error_set(e, ERROR_INPUT, "%s: the plug-in has no name", file);
	if (use == PLUGIN_LOOKS ? !t->look : !t->event)
		return error_set(e, ERROR_INPUT,
				 "%s: the plug-in %s has no function %s, which this program calls",
				 file, t->name, use == PLUGIN_LOOKS ? "look" : "event");
	return 0;
}

static int plugin_begin(struct plugin *p, const char *file, const char *argument, struct error *e)
{
	int refused;

	crashes_watch(file, p->table->name);
	if (!p->table->begin)
		return 0;
	in_function = "begin";
	refused = p->table->begin(argument, &p->state);
	in_function = NULL;
	if (!refused)
		return 0;
	return error_set(e, ERROR_INPUT,
			 "%s: the plug-in %s refuses the argument '%s'; see its documentation",
			 file, p->table->name, argument);
}

int plugin_open(struct plugin *p, const char *text, enum plugin_use use, struct error *e)
{
	const char *colon = strchr(text, ':'), *argument = colon ? colon + 1 : "";
	char *file = mem_printf("%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
	int code = 0;

	*p = (struct plugin){.library = library_open(file)};
	if (!p->library)
		code = error_set(e, ERROR_INPUT, "cannot load the plug-in: %s", dlerror());
	else
		p->table = dlsym(p->library, SYMBOL);
	if (!code)
		code = table_check(p, use, file, e);
	if (!code)
		code = plugin_begin(p, file, argument, e);
	if (code && p->library) {
		dlclose(p->library);
		*p = (struct plugin){0};
	}
	free(file);
	return code;
}

void plugin_look(const struct plugin *p, const struct tau_plugin_look *look)
{
	if (!p->library || !p->table->look)
		return;
	in_function = "look";
	p->table->look(p->state, look);
	in_function = NULL;
}

void plugin_event(const struct plugin *p, const struct tau_plugin_event *event)
{
	if (!p->library || !p->table->event)
		return;
	in_function = "event";
	p->table->event(p->state, event);
	in_function = NULL;
}

void plugin_profile(const struct plugin *p, const char *run, const struct profile *of)
{
	struct waiting *waiting = waiting_find(&of, 1, TIMER_MEASURED);
	struct region_rows rows;
	struct tau_plugin_region *region;
	size_t n = 0, metric = profile_time_metric(of);
	/* A profile without metrics has times. */
	int timed = metric < of->metric_n || !of->metric_n;

	region_rows_with_devices(&rows, of, waiting, timed ? metric : 0, ROWS_FLAT);
	region = mem_alloc((rows.v_n + 1) * sizeof(*region));
	for (; n < rows.v_n; n++) {
		const struct region_row *r = &rows.v[n];
		const struct profile_timer *t = &of->timer[of->path[r->path].timer];

		region[n] = (struct tau_plugin_region){
			t->name, t->groups, r->calls, timed ? r->excl : NAN, timed ? r->incl : NAN,
			NAN, NAN};
	}
	plugin_look(p, &(struct tau_plugin_look){run, NAN, region, n});
	free(region);
	region_rows_release(&rows);
	waiting_free(waiting);
}

int plugin_close(struct plugin *p)
{
	int status = 0;

	if (!p->library)
		return 0;
	if (p->table->end) {
		in_function = "end";
		status = p->table->end(p->state);
		in_function = NULL;
	}
	dlclose(p->library);
	*p = (struct plugin){0};
	return status < 0 || status > STATUS_MOST ? STATUS_MOST : status;
}
