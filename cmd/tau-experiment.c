/* tau-experiment.c: runs a program on several sizes and variants, several times each, and reports
 * how it scales and what changed. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/experiment/conclude.h"
#include "cmd/experiment/experiment.h"
#include "cmd/experiment/rounds.h"
#include "cmd/experiment/run_one.h"
#include "cmd/experiment/run_plan.h"
#include "cmd/experiment/run_store.h"
#include "cmd/experiment/work_place.h"
#include "cmd/shared/message.h"
#include "cmd/shared/option.h"
#include "cmd/shared/shell_word.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"

enum { EXIT_RUNS_FAILED = 1 };

static const char *sizes, *repeat, *until, *most, *name, *db, *output, *record, *input, *sbatch,
	*save, *format;
static struct option_list variants;
static int dry_run;

static const struct option options[] = {
	OPTION_HEADING("What is run"),
	{'n', "sizes", OPTION_TEXT, "LIST",
	 "replace {n} in the command by each of these numbers, such as 2,4,8,16", &sizes},
	{'v', "variant", OPTION_LIST, "NAME=PROGRAM",
	 "replace {variant} in the command by PROGRAM, with its arguments; may be repeated",
	 &variants},
	{'r', "repeat", OPTION_TEXT, "N", "run each size of each variant N times (default: 3)",
	 &repeat},
	{'u', "until", OPTION_TEXT, "PERCENT",
	 "repeat further until the 95 % interval of the mean time is within PERCENT of it, such as "
	 "2%",
	 &until},
	{0, "most", OPTION_TEXT, "N",
	 "with --until, run each size of each variant at most N times (default: 30)", &most},
	{'i', "input", OPTION_TEXT, "FILE",
	 "use FILE as the standard input of each run (default: none)", &input},
	{0, "sbatch", OPTION_TEXT, "OPTIONS",
	 "submit each run as a job of Slurm with these options of sbatch, such as '--ntasks={n} "
	 "--time=10'",
	 &sbatch},
	OPTION_HEADING("How it is recorded"),
	{'R', "record", OPTION_TEXT, "OPTIONS",
	 "record each run with these options of tau-record, such as '--memory --sample=1ms'",
	 &record},
	OPTION_HEADING("Where it goes"),
	{'d', "db", OPTION_TEXT, "FILE",
	 "import each run into the database FILE (default: $TAUDB, else tau.db)", &db},
	{'o', "output", OPTION_TEXT, "DIR",
	 "keep the runs in DIR, and resume what is in it (default: tau-experiment-NAME)", &output},
	{0, "name", OPTION_TEXT, "NAME", "name the experiment (default: as the program)", &name},
	{0, "save", OPTION_TEXT, "FILE",
	 "write the experiment into FILE for tau-experiment FILE; run nothing", &save},
	OPTION_HEADING("What is printed"),
	{0, "dry-run", OPTION_FLAG, NULL, "print the runs and their commands; run nothing",
	 &dry_run},
	{'f', "format", OPTION_TEXT, "FORMAT",
	 "print text (default) with reports, or only the table of the times or of --dry-run as csv "
	 "or json",
	 &format},
	{0}};

static const struct program program = {
	.name = "tau-experiment",
	.usage = "[options] [--] COMMAND... | FILE [options]",
	.about = "Runs a command on several sizes and variants, several times each, records and "
		 "stores each run, and "
		 "reports how it scales and what changed. The same command line resumes what was "
		 "interrupted.",
	.options = options,
	.stop_at_operand = 1,
};

static int variant_set(struct experiment *x, const char *text, struct error *e)
{
	const char *equals = strchr(text, '=');
	char *word;
	int code;

	if (!equals)
		return error_set(e, ERROR_USAGE,
				 "--variant: '%s' is not NAME=PROGRAM, such as old=./app", text);
	word = mem_printf("%.*s", (int)(equals - text), text);
	code = experiment_variant(x, "--variant", word, equals + 1, e);
	free(word);
	return code;
}

/* What is given as an option replaces what is in the file. */
static int options_set(struct experiment *x, struct error *e)
{
	const struct {
		const char *what, *key, *value;
	} given[] = {{"--sizes", "sizes", sizes},    {"--repeat", "repeat", repeat},
		     {"--until", "until", until},    {"--most", "most", most},
		     {"--input", "input", input},    {"--sbatch", "sbatch", sbatch},
		     {"--record", "record", record}, {"--db", "db", db},
		     {"--output", "output", output}, {"--name", "name", name}};
	int code = 0;

	for (size_t i = 0; i < sizeof(given) / sizeof(*given) && code == 0; i++)
		if (given[i].value)
			code = experiment_set(x, given[i].what, given[i].key, given[i].value, e);
	for (size_t i = 0; i < variants.v_n && code == 0; i++)
		code = variant_set(x, variants.v[i], e);
	return code;
}

/* The command, or a file and further options. */
static int command_line(struct experiment *x, int argc, char **argv, struct error *e)
{
	int at = options_parse(&program, argc, argv),
	    marked = at > 1 && !strcmp(argv[at - 1], "--"), code = 0;

	if (!marked && at < argc && experiment_is_file(argv[at])) {
		const char *path = argv[at];

		at += options_parse_more(&program, argc - at, argv + at);
		code = experiment_read(x, path, e);
		x->id[0] = 0;
	} else if (!marked && at + 1 == argc && strstr(argv[at], ".ini") &&
		   access(argv[at], F_OK)) {
		return error_set(e, ERROR_USAGE, "%s: there is no such experiment file", argv[at]);
	}
	if (code == 0 && at < argc)
		shell_words_release(&x->command);
	for (; code == 0 && at < argc; at++)
		shell_words_add(&x->command, argv[at]);
	if (code == 0)
		code = options_set(x, e);
	return code == 0 ? experiment_complete(x, e) : code;
}

static int plan_show(struct experiment *x, struct run_all *all, enum table_format as,
		     struct error *e)
{
	int code = work_place_find(x, e);

	if (code == 0) {
		run_plan_resume(all->p);
		code = *x->id ? run_store_find(all->p, DB_READ, e) : 0;
	}
	return code == 0 ? conclude_plan(all, as, e) : code;
}

/* The exit code, or an error. */
static int plan_run(struct experiment *x, struct run_all *all, enum table_format as,
		    struct error *e)
{
	int lock = -1, code = work_place_open(x, &lock, e), stopped = 0;
	size_t failed;

	if (code < 0)
		return code;
	code = rounds_run(all, e);
	stopped = all->signals.stopped;
	if (code == 0 && !stopped)
		code = conclude(all, as, e);
	failed = conclude_failed(all);
	close(lock);
	if (code == 0 && stopped) {
		message_print(program.name,
			      "stopped by signal %d (%s); the same command resumes the experiment",
			      stopped, strsignal(stopped));
		return 128 + stopped;
	}
	return code == 0 && failed ? EXIT_RUNS_FAILED : code;
}

static int experiment_run(struct experiment *x, struct error *e)
{
	enum table_format as = TABLE_AS_TEXT;
	struct run_plan plan;
	struct run_all all;
	int code = format ? table_format_get(format, &as, e) : 0;

	if (code < 0)
		return code;
	run_plan_make(&plan, x);
	code = run_all_begin(&all, &plan, e);
	if (code == 0)
		code = dry_run ? plan_show(x, &all, as, e) : plan_run(x, &all, as, e);
	run_all_end(&all);
	run_plan_release(&plan);
	return code;
}

int main(int argc, char **argv)
{
	struct experiment x = {0};
	struct error e = {0};
	int code;

	signal(SIGXFSZ, SIG_IGN);
	code = command_line(&x, argc, argv, &e);
	if (code == 0)
		code = save ? experiment_write(&x, save, 0, &e) : experiment_run(&x, &e);
	experiment_release(&x);
	free(variants.v);
	return code < 0 ? program_fail(&program, &e) : program_end(&program, code);
}
