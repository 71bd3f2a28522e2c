/* combinations.c: refuses options of tau-record that mean nothing together. */
#include "cmd/record/options/combinations.h"

#include <string.h>

#include "cmd/shared/option_use.h"

/* What tau-record does if one of these is given; otherwise it records. */
static const char *const modes[] = {"make-wrapper", "control", "doctor", "list", "mpi-t-list",
				    "env",	    "alone"};
#define MODES (sizeof(modes) / sizeof(*modes))

/* Options that are for more than a recording; --help lists all. */
static const struct {
	const char *option, *mode;
} also[] = {
	{"wrap", "list"},
	{"rank", "control"},
	{"pid", "control"},
	{"wait", "control"},
	{"hosts", "control"},
	{"hostfile", "control"},
	{"rsh", "control"},
	{"remote-program", "control"},
	{"types", "doctor"},
	{"output", "make-wrapper"},
	{"list", "make-wrapper"},
	{"output", "alone"},
	{"shared", "alone"},
	{"dry-run", "alone"},
	{"verbose", "alone"},
};

const struct option_pair combinations_pairs[] = {
	{"make-wrapper", "control"},
	{"make-wrapper", "doctor"},
	{"control", "doctor"},
	{"control", "list"},
	{"doctor", "list"},
	{"mpi-t-list", "make-wrapper"},
	{"mpi-t-list", "control"},
	{"mpi-t-list", "doctor"},
	{"mpi-t-list", "list"},
	{"env", "control"},
	{"env", "doctor"},
	{"env", "list"},
	{"env", "make-wrapper"},
	{"env", "mpi-t-list"},
	{"estimate", "budget"},	  /* counts what the budget would fold and drop */
	{"estimate", "fold"},	  /* folds all calls */
	{"estimate", "flight"},	  /* keeps no calls of which some could be the last */
	{"estimate", "max-size"}, /* writes nothing that grows */
	{"flight", "max-size"},	  /* the last of a trace, and the first of it */
	{0},
};

static int belongs(const char *option, const char *mode)
{
	if (!strcmp(option, mode))
		return 1;
	for (size_t i = 0; i < sizeof(also) / sizeof(*also); i++)
		if (!strcmp(also[i].option, option) && !strcmp(also[i].mode, mode))
			return 1;
	return 0;
}

/* Which processes a command is for, and how long to wait. */
static int control_options_check(const struct option_list *given, struct error *e)
{
	static const char *const only[] = {"rank", "pid",      "wait", "hosts",
					   "hostfile", "rsh", "remote-program"};

	for (size_t i = 0; i < sizeof(only) / sizeof(*only); i++)
		if (option_present(given, only[i]))
			return error_set(e, ERROR_USAGE, "--%s is for --control RUN", only[i]);
	return 0;
}

int combinations_check(const struct option_list *given, int operands, struct error *e)
{
	const char *mode = NULL;

	if (option_pairs_check(given, combinations_pairs, e))
		return e->code;
	for (size_t i = 0; i < MODES && !mode; i++)
		mode = option_present(given, modes[i]) ? modes[i] : NULL;
	if (!mode)
		return control_options_check(given, e);
	for (size_t i = 0; i < given->v_n; i++)
		if (!belongs(given->v[i], mode))
			return error_set(e, ERROR_USAGE,
					 "--%s: --%s has no effect here: it is for recording a "
					 "program",
					 mode, given->v[i]);
	if (operands && !strcmp(mode, "doctor"))
		return error_set(e, ERROR_USAGE,
				 "--doctor tests this machine and runs no program: leave it out");
	return 0;
}
