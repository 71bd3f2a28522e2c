/* option.c: parses the option tables of the commands. */
#include "cmd/shared/option.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/shared/config.h"
#include "cmd/shared/help.h"
#include "cmd/shared/message.h"
#include "cmd/shared/option_value.h"
#include "cmd/shared/version.h"

static void usage_error(const struct program *p, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

static void usage_error(const struct program *p, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	message_print(p->name, "%s (see %s --help)", text, p->name);
	free(text);
	exit(p->usage_code ? p->usage_code : -ERROR_USAGE);
}

static void print_help(const struct program *p, enum help_form form, char *const *word, int n)
{
	if (p->help)
		p->help(p, form, word, n);
	else
		help_program(form, p);
	exit(program_end(p, 0));
}

/* A command line while it is parsed. */
struct command_line {
	const struct program *p;
	char *given;		/* by row: the option was given */
	const char *config;	/* --config; NULL: not given */
	int no_config;
};

static void option_parse(struct command_line *c, const struct option *o, const char *value)
{
	const struct program *p = c->p;
	struct error e = {0};

	if (p->given)
		*array_add(p->given, v) = o->name;
	c->given[o - p->options] = GIVEN_ON_LINE;
	if (option_set(o, value, &e) < 0)
		usage_error(p, "%s", e.text);
}

static int is_option(const struct program *p, const char *word)
{
	const struct option *o = p->options;

	if (word[0] != '-' || !word[1])
		return 0;
	if (word[1] == '-')
		return word[2] && option_find(o, word + 2, strcspn(word + 2, "="));
	while (o->name && o->letter != word[1])
		o++;
	return o->name && !word[2];
}

/* The next word is the value of the option, unless it is an option: then the value was forgotten. */
static char *value_word(const struct program *p, const char *dashes, const char *name,
			size_t name_n, const char *argument, char **argv, int left)
{
	if (left < 2)
		usage_error(p, "%s%.*s needs %s", dashes, (int)name_n, name, argument);
	if (is_option(p, argv[1]))
		usage_error(p, "%s%.*s needs %s, but '%s' is an option; as a value: %s%.*s%s%s",
			    dashes, (int)name_n, name, argument, argv[1], dashes, (int)name_n, name,
			    dashes[1] ? "=" : "", argv[1]);
	return argv[1];
}

/* --config FILE, --config=FILE, --no-config: those of all programs. Returns how many words were used; 0: it is none of them. */
static int parse_config(struct command_line *c, char **argv, int left)
{
	const char *word = argv[0] + 2;

	if (!strcmp(word, "no-config")) {
		c->no_config = 1;
		return 1;
	}
	if (!strncmp(word, "config=", 7)) {
		c->config = word + 7;
		return 1;
	}
	if (strcmp(word, "config"))
		return 0;
	c->config = value_word(c->p, "--", "config", 6, "FILE", argv, left);
	return 2;
}

/* --name, --name=value, --name value. Returns how many words were used. */
static int parse_long(struct command_line *c, char **argv, int left)
{
	const struct program *p = c->p;
	const char *word = argv[0] + 2, *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const struct option *o = option_find(p->options, word, length);
	int used;

	if (!strcmp(word, "version")) {
		printf("%s %s\n", p->name, TAU_VERSION);
		exit(program_end(p, 0));
	}
	used = parse_config(c, argv, left);
	if (used)
		return used;
	if (!o) {
		char *name = mem_printf("%.*s", (int)length, word);

		usage_error(p, "unknown option '%s'%s", argv[0],
			    option_near(p->options, name, "--"));
	}
	if (!o->argument && equals)
		usage_error(p, "--%s takes no value", o->name);
	if (!o->argument || o->type == OPTION_MAYBE || equals) {
		option_parse(c, o, equals ? equals + 1 : NULL);
		return 1;
	}
	option_parse(c, o, value_word(p, "--", o->name, strlen(o->name), o->argument, argv, left));
	return 2;
}

/* -abc, -ovalue, -o value. Returns how many words were used. */
static int parse_short(struct command_line *line, char **argv, int left)
{
	const struct program *p = line->p;

	for (const char *c = argv[0] + 1; *c; c++) {
		const struct option *o = p->options;

		while (o->name && o->letter != *c)
			o++;
		if (!o->name)
			usage_error(p, "unknown option '-%c'", *c);
		if (!o->argument || (o->type == OPTION_MAYBE && !c[1])) {
			option_parse(line, o, NULL);
			continue;
		}
		if (c[1]) {
			option_parse(line, o, c + 1);
			return 1;
		}
		option_parse(line, o, value_word(p, "-", c, 1, o->argument, argv, left));
		return 2;
	}
	return 1;
}

static size_t rows_of(const struct option *o)
{
	size_t n = 0;

	while (o[n].name)
		n++;
	return n;
}

/* Returns the index of the first operand, as options_parse(). */
static int parse(struct command_line *c, int argc, char **argv)
{
	const struct program *p = c->p;
	char **operands = mem_alloc(((size_t)argc + 1) * sizeof(*operands));
	int n = 0, i = 1;

	while (i < argc) {
		char *word = argv[i];

		if (!strcmp(word, "--")) {
			i++;
			break;
		}
		if (!strcmp(word, "--help=words")) {
			help_words(p, argv + 1, argc - 1);
			exit(program_end(p, 0));
		}
		if (!strcmp(word, "--help") || !strcmp(word, "--help=man"))
			print_help(p, word[6] ? HELP_PAGE : HELP_TEXT, argv + 1, argc - 1);
		if (word[0] == '-' && word[1] == '-') {
			i += parse_long(c, argv + i, argc - i);
		} else if (word[0] == '-' && word[1]) {
			i += parse_short(c, argv + i, argc - i);
		} else if (p->stop_at_operand) {
			break;
		} else {
			operands[n++] = word;
			i++;
		}
	}
	i -= n;
	memcpy(argv + i, operands, (size_t)n * sizeof(*operands));
	free(operands);
	return i;
}

int options_parse(const struct program *p, int argc, char **argv)
{
	struct command_line c = {.p = p, .given = mem_alloc(rows_of(p->options) + 1)};
	struct error e = {0};
	int first = parse(&c, argc, argv);

	if (c.config && c.no_config)
		usage_error(p, "--config and --no-config exclude each other");
	if (!c.no_config && config_apply(p, c.given, c.config, &e) < 0) {
		message_print(p->name, "%s", e.text);
		exit(p->usage_code ? p->usage_code : -e.code);
	}
	free(c.given);
	return first;
}

int options_parse_more(const struct program *p, int argc, char **argv)
{
	struct command_line c = {.p = p, .given = mem_alloc(rows_of(p->options) + 1)};
	int first = parse(&c, argc, argv);

	if (c.config || c.no_config)
		usage_error(p, "--config and --no-config come before the operands");
	free(c.given);
	return first;
}

int program_fail(const struct program *p, const struct error *e)
{
	fflush(stdout);
	message_print(p->name, "%s", e->text);
	config_note(p->name);
	return -e->code;
}

int program_end(const struct program *p, int code)
{
	if (fflush(stdout) || ferror(stdout)) {
		message_print(p->name, "standard output: %s", strerror(errno));
		return -ERROR_SYSTEM;
	}
	return code;
}
