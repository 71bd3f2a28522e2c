/* option.c: parses the option tables of the commands. */
#include "cmd/shared/option.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/nearest.h"
#include "cmd/shared/help.h"
#include "cmd/shared/message.h"
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

static void option_parse(const struct program *p, const struct option *o, const char *value)
{
	char *end;

	if (p->given)
		*array_add(p->given, v) = o->name;
	switch (o->type) {
	case OPTION_FLAG:
		++*(int *)o->to;
		break;
	case OPTION_TEXT:
	case OPTION_MAYBE:
		*(const char **)o->to = value ? value : "";
		break;
	case OPTION_LIST:
		*array_add((struct option_list *)o->to, v) = value;
		break;
	case OPTION_NUMBER:
		errno = 0;
		*(long *)o->to = strtol(value, &end, 10);
		if (errno || *end || end == value)
			usage_error(p, "--%s: '%s' is not a whole number", o->name, value);
		break;
	case OPTION_CALL: {
		struct error e = { 0 };

		if (((int (*)(const char *, struct error *))o->to)(value, &e) < 0)
			usage_error(p, "%s", e.text);
		break;
	}
	case OPTION_HEADING_ROW:
		break;
	}
}

/* "; did you mean '--top'?", or "". The program ends with it, so it is not freed. */
static const char *option_near(const struct program *p, const char *word, size_t length)
{
	char *name = mem_printf("%.*s", (int)length, word);
	struct nearest near;

	nearest_begin(&near, name);
	nearest_try(&near, "help", 4, "help");
	nearest_try(&near, "version", 7, "version");
	for (const struct option *o = p->options; o->name; o++)
		if (o->type != OPTION_HEADING_ROW)
			nearest_try(&near, o->name, strlen(o->name), o->name);
	return near.best ? mem_printf("; did you mean '--%s'?", near.best) : "";
}

/* --name, --name=value, --name value. Returns how many words were used. */
static int parse_long(const struct program *p, char **argv, int left)
{
	const char *word = argv[0] + 2, *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);

	if (!strcmp(word, "version")) {
		printf("%s %s\n", p->name, TAU_VERSION);
		exit(program_end(p, 0));
	}
	for (const struct option *o = p->options; o->name; o++) {
		if (o->type == OPTION_HEADING_ROW || strlen(o->name) != length ||
		    strncmp(o->name, word, length) != 0)
			continue;
		if (!o->argument && equals)
			usage_error(p, "--%s takes no value", o->name);
		if (!o->argument || o->type == OPTION_MAYBE || equals) {
			option_parse(p, o, equals ? equals + 1 : NULL);
			return 1;
		}
		if (left < 2)
			usage_error(p, "--%s needs %s", o->name, o->argument);
		option_parse(p, o, argv[1]);
		return 2;
	}
	usage_error(p, "unknown option '%s'%s", argv[0], option_near(p, word, length));
}

/* -abc, -ovalue, -o value. Returns how many words were used. */
static int parse_short(const struct program *p, char **argv, int left)
{
	for (const char *c = argv[0] + 1; *c; c++) {
		const struct option *o = p->options;

		while (o->name && o->letter != *c)
			o++;
		if (!o->name)
			usage_error(p, "unknown option '-%c'", *c);
		if (!o->argument || (o->type == OPTION_MAYBE && !c[1])) {
			option_parse(p, o, NULL);
			continue;
		}
		if (c[1]) {
			option_parse(p, o, c + 1);
			return 1;
		}
		if (left < 2)
			usage_error(p, "-%c needs %s", *c, o->argument);
		option_parse(p, o, argv[1]);
		return 2;
	}
	return 1;
}

int options_parse(const struct program *p, int argc, char **argv)
{
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
			i += parse_long(p, argv + i, argc - i);
		} else if (word[0] == '-' && word[1]) {
			i += parse_short(p, argv + i, argc - i);
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

int program_fail(const struct program *p, const struct error *e)
{
	fflush(stdout);
	message_print(p->name, "%s", e->text);
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
