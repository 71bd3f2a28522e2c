/* limits.c: checks the options that limit a recording. */
#include "cmd/record/limits.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "convert/native/command_file.h"
#include "cmd/shared/quantity.h"
#include "cmd/record/selection.h"
#include "cmd/shared/choice.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void variable(const char *name, double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.0f", value);
	setenv(name, text, 1);
}

/* An option that is one quantity, and the variable that takes it. */
struct row {
	const char *option, *text, *variable, *what;
	const struct unit *unit;
	size_t unit_n;
	double plain, least;
};

static int row_set(const struct row *r, struct error *e)
{
	double v;

	if (!r->text)
		return 0;
	v = quantity(r->text, r->unit, r->unit_n, r->plain);
	if (v < r->least || v > 9e18)
		return error_set(e, ERROR_USAGE, "--%s: '%s' is not a %s", r->option, r->text,
				 r->what);
	variable(r->variable, v);
	return 0;
}

/* [CALLS[:USEC]] */
static int throttle_set(const char *text, struct error *e)
{
	const char *colon = strchr(text, ':');
	char *end;
	double calls = 100000, usec = 10;

	if (*text && text != colon) {
		calls = strtod(text, &end);
		if (end != (colon ? colon : text + strlen(text)) || !(calls >= 0))
			calls = -1;
	}
	if (colon) {
		usec = strtod(colon + 1, &end);
		if (end == colon + 1 || *end || !(usec >= 0))
			usec = -1;
	}
	if (calls < 0 || usec < 0 || calls > 1e18 || usec > 1e12)
		return error_set(e, ERROR_USAGE,
				 "--throttle: '%s' is not CALLS:USEC, such as 100000:10",
				 text);
	variable("TAU_RECORD_THROTTLE_CALLS", calls);
	variable("TAU_RECORD_THROTTLE_NS", usec * 1000);
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
	double size = quantity(text, quantity_sizes, QUANTITY_SIZES, -1),
	       time = quantity(text, quantity_times, QUANTITY_TIMES, -1);

	if ((size < 1 && time < 1) || size > 9e18 || time > 9e18)
		return error_set(e, ERROR_USAGE, "--flight: '%s' is not a size or time with its "
						 "unit, such as 100M or 10s",
				 text);
	variable(size >= 1 ? "TAU_RECORD_FLIGHT_SIZE" : "TAU_RECORD_FLIGHT_TIME",
		 size >= 1 ? size : time);
	return 0;
}

/* Percent of the CPU time. */
static int budget_set(const char *text, struct error *e)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || (strcmp(end, "%") != 0 && *end) || !(v > 0 && v <= 1e6))
		return error_set(e, ERROR_USAGE, "--budget: '%s' is not a percentage such as 3%%",
						 text);
	variable("TAU_RECORD_BUDGET", v * 10000);
	return 0;
}

/* TAU samples these at the interval of its other samples. */
static const char *system_interval(void)
{
	const char *v = getenv("TAU_INTERRUPT_INTERVAL");

	return v && strtod(v, NULL) >= 0.001 ? v : "10";
}

void limits_take_environment(struct limits *l)
{
	const char *v = getenv("TAU_THROTTLE"), *calls = getenv("TAU_THROTTLE_NUMCALLS"),
		   *usec = getenv("TAU_THROTTLE_PERCALL");

	if (!l->select)
		l->select = getenv("TAU_SELECT_FILE");
	if (!l->depth)
		l->depth = getenv("TAU_DEPTH_LIMIT");
	if (!l->throttle && choice_on(v))
		l->throttle = mem_printf("%s:%s", calls ? calls : "100000", usec ? usec : "10");
	l->call_sites |= choice_on(getenv("TAU_CALLSITE"));
	if (!l->mpi_t && (l->mpi_t_controls || choice_on(getenv("TAU_TRACK_MPI_T_PVARS"))))
		l->mpi_t = "";
	if (!l->system &&
	    (choice_on(getenv("TAU_TRACK_POWER")) || choice_on(getenv("TAU_TRACK_LOAD")) ||
	     choice_on(getenv("TAU_TRACK_MEMORY_FOOTPRINT"))))
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
	const struct row rows[] = {
		{"depth", l->depth, "TAU_RECORD_DEPTH", "number of calls", NULL, 0, 1, 0},
		{"fold", l->fold, "TAU_RECORD_FOLD", "time", quantity_times, QUANTITY_TIMES, 1e3,
		 1},
		{"delay", l->delay, "TAU_RECORD_DELAY", "time", quantity_times, QUANTITY_TIMES, 1e9,
		 0},
		{"duration", l->duration, "TAU_RECORD_DURATION", "time", quantity_times,
		 QUANTITY_TIMES, 1e9, 1},
		{"memory-every", l->memory_every, "TAU_RECORD_MEMORY_NS", "time of 1ms or more",
		 quantity_times, QUANTITY_TIMES, 1e9, 1e6},
		{"system", system, "TAU_RECORD_SYSTEM_NS", "time of 1ms or more", quantity_times,
		 QUANTITY_TIMES, 1e9, 1e6},
		{"snapshot-every", l->snapshot_every, "TAU_RECORD_SNAPSHOT_EVERY",
		 "time of 1ms or more", quantity_times, QUANTITY_TIMES, 1e9, 1e6},
		{"mpi-t", mpi_t, "TAU_RECORD_MPI_T_NS", "time", quantity_times, QUANTITY_TIMES, 1e9,
		 0},
		{"max-size", l->max_size, "TAU_RECORD_MAX_SIZE", "size", quantity_sizes,
		 QUANTITY_SIZES, 1, 1},
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
	    selection_read(&(struct selection){l->select, l->start, l->stop, l->patch},
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
	/* Without the file, for example on a full disk, the run is recorded and takes no commands. */
	if (path)
		setenv("TAU_RECORD_WATCH", path, 1);
	else
		unsetenv("TAU_RECORD_WATCH");
	free(path);
	return l->selection ? selection_write(directory, l->selection, t, e) : 0;
}
