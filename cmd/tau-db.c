/* tau-db.c: keeps trials in a database: chooses the command. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/db/db_command.h"
#include "cmd/db/db_runs.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/guard.h"
#include "cmd/shared/help.h"
#include "cmd/shared/option.h"
#include "convert/io/input.h"

static const struct db_command *const commands[] = {
	&command_import,
	&command_list,
	&command_show,
	&command_query,
	&command_export,
	&command_tag,
	&command_rename,
	&command_rm,
	&command_merge,
	&command_check,
	&command_gc,
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(const struct program *p, enum help_form form, char *const *word, int n);

static const char *command_name(const struct db_command *c)
{
	return strchr(c->program.name, ' ') + 1;
}

static const char *command_word(size_t i)
{
	return i < COMMANDS ? command_name(commands[i]) : NULL;
}

static const struct option no_options[] = {OPTION_DB, {0}};
static const struct program program = {
	.name = "tau-db",
	.usage = "[--db FILE] COMMAND [options] ...",
	.about =
		"Stores many trials in one database (TauDB, schema version 2, on SQLite).",
	.options = no_options,
	.stop_at_operand = 1,
	.help = print_help,
	.word = command_word,
};

static void commands_print(void)
{
	help_begin(HELP_TEXT, "Commands (tau-db COMMAND --help describes one)", 'p');
	for (size_t i = 0; i < COMMANDS; i++)
		help_item(HELP_TEXT, 12, command_name(commands[i]), "",
			  commands[i]->program.about);
	help_end(HELP_TEXT);
}

/* Each command with its options, for the manual page. */
static void commands_page(void)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct program *p = &commands[i]->program;

		printf(".Ss tau-db %s\n", command_name(commands[i]));
		help_sentence(p->about);
		if (p->help)
			p->help(p, HELP_PAGE, NULL, 0);
		else
			help_options(HELP_PAGE, p->options, NULL);
	}
}

/* A command may follow --help. */
static void print_help(const struct program *p, enum help_form form, char *const *word, int n)
{
	for (int i = 0; i < n && form == HELP_TEXT; i++)
		for (size_t k = 0; k < COMMANDS; k++) {
			const struct program *command = &commands[k]->program;

			if (strcmp(word[i], command_name(commands[k])) != 0)
				continue;
			if (command->help)
				command->help(command, form, word, n);
			else
				help_program(form, command);
			return;
		}
	if (form == HELP_PAGE) {
		commands_page();
		return;
	}
	help_usage(p->name, p->usage, p->about);
	commands_print();
	help_options(form, p->options, NULL);
	help_last(form);
}

/* word: NULL if there is none. */
static void unknown_command(const char *word, struct error *e)
{
	const char *known[COMMANDS];
	size_t found;

	for (size_t i = 0; i < COMMANDS; i++)
		known[i] = command_name(commands[i]);
	if (word)
		choice_get("command", word, known, COMMANDS, &found, e);
	else
		error_set(e, ERROR_USAGE,
			  "name a command, as in tau-db import RUN (see tau-db --help)");
}

int main(int argc, char **argv)
{
	struct error e = {0};
	int at;

	/* A file that may not grow is an error of write(), not the end of the program. */
	signal(SIGXFSZ, SIG_IGN);
	runs_command(argc, argv);
	at = options_parse(&program, argc, argv);
	for (size_t i = 0; at < argc && i < COMMANDS; i++) {
		const struct db_command *c = commands[i];
		int first;

		if (strcmp(argv[at], command_name(c)) != 0)
			continue;
		first = options_parse(&c->program, argc - at, argv + at) + at;
		runs_operands(at, argc - first, argv + first);
		if (c->guarded)
			guard_archives(&c->program, db_inputs(), argv + first,
				       (size_t)(argc - first), NULL);
		if (c->run(argc - first, argv + first, &e) < 0)
			return program_fail(&c->program, &e);
		return program_end(&c->program, 0);
	}
	unknown_command(at < argc ? argv[at] : NULL, &e);
	return program_fail(&program, &e);
}
