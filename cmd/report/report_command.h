/* report_command.h: what the command line of tau-report sets, and the rows of its options. */
#ifndef REPORT_COMMAND_H
#define REPORT_COMMAND_H

#include "cmd/report/report.h"

struct report_command {
	struct report_options o;
	struct trace_options trace_options;
	struct report_sorting sorting;	/* column NULL: not given */
	struct option_list baseline;	/* as given: several runs in one text, separated by commas */
	const char *format;		/* NULL: not given */
};

enum { REPORT_OPTIONS = 64 };
/* The rows of the options, which set c. */
void report_command_options(struct report_command *c, struct option options[REPORT_OPTIONS]);

#endif
