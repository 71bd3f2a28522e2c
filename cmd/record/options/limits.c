/* limits.c: checks the options that limit a recording. */
#include "cmd/record/options/limits.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "convert/native/live/command_file.h"
#include "cmd/record/options/selection.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/tau_variables.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void variable(const char *name, int64_t value)
{
	char text[40];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	setenv(name, text, 1);
}

/* An option that is one quantity, and the variable that takes it. */
struct limit_option {
	struct quantity_option option;
	const char *text, *variable;
};

static int row_set(const struct limit_option *r, struct error *e)
{
	int64_t v;

	if (!r->text)
		return 0;
	if (quantity_option(&r->option, r->text, &v, e))
		return e->code;
	variable(r->variable, v);
	return 0;
}

/* [CALLS[:TIME]] */
static int throttle_set(const char *text, struct error *e)
{
	const char *colon = strchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	int64_t calls = 100000, ns = 10000;

	if ((n && !quantity_read(QUANTITY_COUNT, text, n, "", &calls)) ||
	    (colon && !quantity_read(QUANTITY_TIME, colon + 1, strlen(colon + 1), "us", &ns)))
		return error_set(e, ERROR_USAGE,
				 "--throttle: '%s' is not CALLS:TIME, such as 100000:10us", text);
	variable("TAU_RECORD_THROTTLE_CALLS", calls);
	variable("TAU_RECORD_THROTTLE_NS", ns);
	return 0;
}

static const struct signal_name {
	const char *name;
	int number;
} signals[] = {{"USR1", SIGUSR1},   {"USR2", SIGUSR2}, {"HUP", SIGHUP},  {"URG", SIGURG},
	       {"WINCH", SIGWINCH}, {"ALRM", SIGALRM}, {"TERM", SIGTERM}};

/* An option that is a signal, and the variable that takes its number. */
static int signal_set(const char *option, const char *text, const char *name, struct error *e)
{
	const char *names[COUNT(signals)];
	size_t found;

	for (size_t i = 0; i < COUNT(signals); i++)
		names[i] = signals[i].name;
	if (!text)
		return 0;
	if (choice_get(option, strncmp(text, "SIG", 3) ? text : text + 3, names,
		       COUNT(names), &found, e))
		return e->code;
	variable(name, signals[found].number);
	return 0;
}

static int signals_set(const struct limits *l, struct error *e)
{
	const char *toggle, *snapshot;

	if (signal_set("--toggle-signal", l->toggle, "TAU_RECORD_SIGNAL", e) ||
	    signal_set("--snapshot-signal", l->snapshot_signal, "TAU_RECORD_SNAPSHOT_SIGNAL", e))
		return e->code;
	toggle = getenv("TAU_RECORD_SIGNAL");
	snapshot = getenv("TAU_RECORD_SNAPSHOT_SIGNAL");
	if (l->toggle && l->snapshot_signal && !strcmp(toggle, snapshot))
		return error_set(e, ERROR_USAGE,
				 "--snapshot-signal: %s is the signal of --toggle-signal; use "
				 "another",
				 l->snapshot_signal);
	return 0;
}

/* A size or a time. */
static int flight_set(const char *text, struct error *e)
{
	int64_t v;
	int time = quantity_read(QUANTITY_TIME, text, strlen(text), NULL, &v);

	if (!time && !quantity_read(QUANTITY_SIZE, text, strlen(text), NULL, &v))
		v = 0;
	if (!v)
		return error_set(e, ERROR_USAGE, "--flight: '%s' is not a size or time with its "
						 "unit, such as 100M or 10s",
				 text);
	variable(time ? "TAU_RECORD_FLIGHT_TIME" : "TAU_RECORD_FLIGHT_SIZE", v);
	return 0;
}

/* Percent of the CPU time; the variable is in parts per million. */
static int budget_set(const char *text, struct error *e)
{
	static const struct quantity_option budget = {"--budget", QUANTITY_PERCENT, "",
						      "0.0001%",  "1000000%",       "3%"};
	int64_t v;

	if (quantity_option(&budget, text, &v, e))
		return e->code;
	variable("TAU_RECORD_BUDGET", v / (QUANTITY_ONE_PERCENT / 10000));
	return 0;
}

/* TAU samples these at the interval of its other samples. */
static const char *system_interval(void)
{
	const char *v = tau_variable("TAU_INTERRUPT_INTERVAL");

	return v && strtod(v, NULL) >= 0.001 ? v : "10";
}

void limits_read_environment(struct limits *l)
{
	const char *v = tau_variable("TAU_THROTTLE"),
		   *calls = tau_variable("TAU_THROTTLE_NUMCALLS"),
		   *usec = tau_variable("TAU_THROTTLE_PERCALL");

	if (!l->select)
		l->select = tau_variable("TAU_SELECT_FILE");
	if (!l->depth)
		l->depth = tau_variable("TAU_DEPTH_LIMIT");
	if (!l->throttle && choice_on(v))
		l->throttle = mem_printf("%s:%s", calls ? calls : "100000", usec ? usec : "10");
	l->call_sites |= choice_on(tau_variable("TAU_CALLSITE"));
	if (!l->mpi_t &&
	    (l->mpi_t_controls || choice_on(tau_variable("TAU_TRACK_MPI_T_PVARS"))))
		l->mpi_t = "";
	if (!l->system &&
	    (choice_on(tau_variable("TAU_TRACK_POWER")) ||
	     choice_on(tau_variable("TAU_TRACK_LOAD")) ||
	     choice_on(tau_variable("TAU_TRACK_MEMORY_FOOTPRINT"))))
		l->system = system_interval();
	if (l->select && !*l->select)
		l->select = NULL;
}

/* Options that name regions or groups: an empty name would mean none, and record nothing. */
static int names_check(const struct limits *l, struct error *e)
{
	const struct {
		const char *option, *text;
	} names[] = {{"start", l->start},
		     {"stop", l->stop},
		     {"patch", l->patch},
		     {"groups", l->groups},
		     {"no-groups", l->no_groups}};

	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].text && !*names[i].text)
			return error_set(e, ERROR_USAGE, "--%s: '' is not a name", names[i].option);
	return 0;
}

int limits_check(struct limits *l, struct error *e)
{
	/* Without a value --system has its usual interval. */
	const char *system = l->system && *l->system ? l->system : NULL,
		   *mpi_t = l->mpi_t && !*l->mpi_t ? "10ms" : l->mpi_t;
	const struct limit_option rows[] = {
		{{"--depth", QUANTITY_COUNT, "", NULL, NULL, "10"}, l->depth, "TAU_RECORD_DEPTH"},
		{{"--fold", QUANTITY_TIME, "us", "1ns", NULL, "2us"}, l->fold, "TAU_RECORD_FOLD"},
		{{"--delay", QUANTITY_TIME, "s", NULL, NULL, "500ms"},
		 l->delay,
		 "TAU_RECORD_DELAY"},
		{{"--duration", QUANTITY_TIME, "s", "1ns", NULL, "10s"},
		 l->duration,
		 "TAU_RECORD_DURATION"},
		{{"--memory-every", QUANTITY_TIME, "s", "1ms", NULL, "100ms"},
		 l->memory_every,
		 "TAU_RECORD_MEMORY_NS"},
		{{"--system", QUANTITY_TIME, "s", "1ms", NULL, "500ms"},
		 system,
		 "TAU_RECORD_SYSTEM_NS"},
		{{"--snapshot-every", QUANTITY_TIME, "s", "1ms", NULL, "10s"},
		 l->snapshot_every,
		 "TAU_RECORD_SNAPSHOT_EVERY"},
		{{"--mpi-t", QUANTITY_TIME, "s", NULL, NULL, "10ms"}, mpi_t, "TAU_RECORD_MPI_T_NS"},
		{{"--max-size", QUANTITY_SIZE, "B", "1B", NULL, "100M"},
		 l->max_size,
		 "TAU_RECORD_MAX_SIZE"},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (row_set(&rows[i], e) < 0)
			return e->code;
	if (names_check(l, e) < 0 || (l->throttle && throttle_set(l->throttle, e) < 0) ||
	    signals_set(l, e) < 0 ||
	    (l->flight && flight_set(l->flight, e) < 0) ||
	    (l->budget && budget_set(l->budget, e) < 0))
		return e->code;
	if ((l->select || l->start || l->stop || l->patch) &&
	    selection_read(&(struct record_selection){l->select, l->start, l->stop, l->patch},
			   &l->selection, e) < 0)
		return e->code;
	if (l->patch)
		setenv("TAU_RECORD_PATCH", l->patch, 1);
	if (l->groups)
		setenv("TAU_RECORD_GROUPS", l->groups, 1);
	if (l->no_groups)
		setenv("TAU_RECORD_NO_GROUPS", l->no_groups, 1);
	if (l->mpi_t_controls)
		setenv("TAU_RECORD_MPI_T_CONTROLS", l->mpi_t_controls, 1);
	if (l->start)
		setenv("TAU_RECORD_START", l->start, 1);
	if (l->stop)
		setenv("TAU_RECORD_STOP", l->stop, 1);
	if (l->estimate)
		setenv("TAU_RECORD_ESTIMATE", "1", 1);
	if (l->sums)
		setenv("TAU_RECORD_SUMS", "1", 1);
	return 0;
}

const char *limits_selecting(const struct limits *l)
{
	const struct {
		const char *option, *text;
	} all[] = {{"select", l->select}, {"groups", l->groups}, {"no-groups", l->no_groups},
		   {"start", l->start},	  {"depth", l->depth}};
	char *text = mem_string("");

	for (size_t i = 0; i < COUNT(all); i++)
		if (all[i].text) {
			char *more = mem_printf("%s --%s %s", text, all[i].option, all[i].text);

			free(text);
			text = more;
		}
	return text;
}

uint64_t limits_snapshot_ns(const struct limits *l)
{
	const char *ns = l->snapshot_every ? getenv("TAU_RECORD_SNAPSHOT_EVERY") : NULL;

	return ns ? strtoull(ns, NULL, 10) : 0;
}

int limits_write(struct limits *l, const char *directory, const struct target *t, struct error *e)
{
	struct error why = {0};
	char *path = command_file_make(directory, &why);

	if (!path && (l->watch || l->max_size)) {
		*e = why;
		return e->code;
	}
	/* Without the file, for example on a full disk, the run is recorded and takes no commands.
	 */
	if (path)
		setenv("TAU_RECORD_WATCH", path, 1);
	else
		unsetenv("TAU_RECORD_WATCH");
	free(path);
	return l->selection ? selection_write(directory, l->selection, t, e) : 0;
}
