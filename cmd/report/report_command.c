/* report_command.c: the options of tau-report. kinds.h has which kind uses which of them. */
#include "cmd/report/report_command.h"

#include <assert.h>
#include <string.h>

#include "cmd/shared/db_timeout.h"

/* What the cells and rows of pictures over time are. */
#define OPTIONS_CELLS(o) \
	{0, "cells", OPTION_TEXT, "N|TIME", \
	 "cut the window into N equal parts (default: text 64, svg 960, counters 24), or at all " \
	 "multiples of TIME", \
	 &(o).cells}, \
	{0, "rows", OPTION_TEXT, "LEVEL[,NAME=LEVEL...]", \
	 "show one row per host, pe, thread or queue (default), and for a host or PE of this " \
	 "NAME another LEVEL", \
	 &(o).rows}

void report_command_options(struct report_command *c, struct option options[REPORT_OPTIONS])
{
	const struct option rows[] = {
		OPTION_HEADING("Which runs"),
		{0, "db", OPTION_TEXT, "FILE",
		 "read trials of this database; RUN names trials (default: all)", &c->o.db},
		OPTION_TIMEOUT(c->o.timeout),
		{'W', "where", OPTION_TEXT, "CONDITION",
		 "select runs or trials by facts and metadata: 'pes>=8 and Compiler~gcc*'",
		 &c->o.where},
		{0, "baseline", OPTION_LIST, "RUNS",
		 "runs before, or trials by number, name or tag, separated by commas; may be "
		 "repeated",
		 &c->baseline},
		OPTION_HEADING("Which part of a run"),
		TRACE_OPTIONS_WINDOWS(&c->trace_options),
		{0, "at", OPTION_TEXT, "TIME", "use the memory that is live at TIME", &c->o.at},
		TRACE_OPTIONS_ONLY(&c->trace_options),
		OPTION_HEADING("Which rows, and in which order"),
		{0, "by", OPTION_TEXT, "WHAT",
		 "print one row per WHAT; tau-report KIND --help lists the values", &c->o.by},
		{0, "top", OPTION_NUMBER, "N",
		 "print at most N rows, 0 for all (default: text 20, svg 6, csv and json all)",
		 &c->o.top},
		{0, "sort", OPTION_TEXT, "COLUMN",
		 "sort rows by this column, numbers from the largest, words from A to Z; -COLUMN: "
		 "the other way round; profile: also by name or imbalance",
		 &c->sorting.column},
		{0, "cut", OPTION_TEXT, "PERCENT",
		 "tree: exclude call paths below PERCENT of the whole (default: text 1, else 0); "
		 "breakdown: add regions below PERCENT to the row 'others'",
		 &c->o.cut},
		{0, "order", OPTION_TEXT, "FILE",
		 "order runs by the lines with their --label in FILE, as git rev-list --reverse "
		 "prints them; -: standard input",
		 &c->o.order},
		OPTION_HEADING("Which values"),
		{0, "metric", OPTION_TEXT, "NAME", "use this metric (default: the first)",
		 &c->o.metric},
		{0, "inclusive", OPTION_FLAG, NULL, "show inclusive values (default: exclusive)",
		 &c->o.inclusive},
		{0, "samples", OPTION_FLAG, NULL,
		 "show the sampled code instead of the timers (default: if a run has no timers)",
		 &c->o.samples},
		TRACE_OPTIONS_SAMPLES(&c->trace_options),
		{0, "squares", OPTION_FLAG, NULL, "print SumExclSqr (slower)", &c->o.squares},
		OPTIONS_CELLS(c->o),
		{0, "view", OPTION_TEXT, "VIEW",
		 "show bytes of this VIEW; KIND --help lists the values", &c->o.view},
		{0, "per", OPTION_TEXT, "WHAT",
		 "show one number per WHAT; KIND --help lists the values", &c->o.per},
		{0, "unit", OPTION_TEXT, "UNIT",
		 "print all times in ns, us, ms or s, or all bytes in B, KiB, MiB, GiB, TiB, KB, "
		 "MB, GB or TB",
		 &c->o.unit_name},
		{0, "explain", OPTION_FLAG, NULL,
		 "print what each column is, its formula, and the runs that it is computed from",
		 &c->o.explain},
		OPTION_HEADING("Models and limits"),
		{0, "predict", OPTION_LIST, "PES",
		 "print the forecast of the models for PES processing elements; may be repeated",
		 &c->o.predict},
		{0, "problem", OPTION_TEXT, "SIZE",
		 "how the size of the problem depends on the PEs; KIND --help lists the values "
		 "(default: detected)",
		 &c->o.problem},
		{0, "gate", OPTION_TEXT, "LIMIT",
		 "end with status 1 if the change exceeds LIMIT: 3% (compare, trend, "
		 "memory-growth), or bytes lost (leaks)",
		 &c->o.gate},
		{0, "label", OPTION_TEXT, "NAME",
		 "print this metadata, or tags, of the first run after a change, such as a commit",
		 &c->o.label},
		OPTION_HEADING("How it is read and written"),
		{'f', "format", OPTION_TEXT, "FORMAT",
		 "print text, markdown, html, csv, json, svg or folded (default: by the suffix of "
		 "--output, else text); compare: also junit, github",
		 &c->format},
		{'o', "output", OPTION_TEXT, "FILE", "write to FILE (default: -, standard output)",
		 &c->o.output},
		TRACE_OPTIONS_THREADS(&c->trace_options),
		{0, "alone", OPTION_FLAG, NULL,
		 "do not share work with the other processes of a parallel job", &c->o.alone},
		{0},
	};
	static_assert(sizeof(rows) / sizeof(*rows) <= REPORT_OPTIONS, "there is room for all");
	memcpy(options, rows, sizeof(rows));
}
