/* help.c: prints options by group, in lines that fit a terminal, or as rows of a manual page. */
#include "cmd/shared/help.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 79 };

/* Words in lines of WIDTH; at: where the first line goes on, indent: where the others begin. */
static void words(const char *text, size_t indent, size_t at)
{
	int first = 1;

	for (const char *w = text + strspn(text, " \n"); *w; w += strspn(w, " \n")) {
		size_t n = strcspn(w, " \n");

		if (!first && at + 1 + n > WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
			first = 1;
		}
		printf("%s%.*s", first ? "" : " ", (int)n, w);
		at += n + !first;
		first = 0;
		w += n;
	}
	putchar('\n');
}

void help_usage(const char *name, const char *usage, const char *about)
{
	char *line = mem_printf("Usage: %s %s", name, usage);

	words(line, 7, 0);
	free(line);
	putchar('\n');
	words(about, 0, 0);
}

/* A quote or a point at the begin of a line is no request; each sentence has its line. */
void help_sentence(const char *s)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", stdout);
	for (char before = 0; *s; before = *s++)
		if (*s == '\\')
			fputs("\\e", stdout);
		else if (*s == '\'')
			fputs("\\(aq", stdout);
		else if (*s == ' ' && before == '.')
			putchar('\n');
		else
			putchar(*s == '\n' ? ' ' : *s);
	putchar('\n');
}

void help_text(enum help_form form, const char *text)
{
	if (form == HELP_PAGE)
		return;
	putchar('\n');
	words(text, 0, 0);
}

void help_begin(enum help_form form, const char *heading, char level)
{
	if (form == HELP_TEXT)
		printf("\n%s:\n", heading);
	else if (level == 's')
		printf(".Ss %s\n.Bl -tag -width Ds\n", heading);
	else
		printf(".Pp\n.Em %s\n.Bl -tag -width Ds -compact\n", heading);
}

void help_item(enum help_form form, size_t column, const char *left, const char *macros,
	       const char *text)
{
	size_t n = strlen(left) + 2;

	if (form == HELP_PAGE) {
		printf(".It %s\n", macros);
		help_sentence(text);
		return;
	}
	printf("  %s", left);
	if (n + 2 > column)
		printf("\n%*s", (int)column, "");
	else
		printf("%*s", (int)(column - n), "");
	words(text, column, column);
}

void help_end(enum help_form form)
{
	if (form == HELP_PAGE)
		puts(".El");
}

static void option_item(enum help_form form, const struct option *o)
{
	const char *argument = o->argument ? o->argument : "";
	int maybe = o->type == OPTION_MAYBE;
	char *letter = o->letter ? mem_printf("-%c, ", o->letter) : mem_string("    ");
	char *flag = o->letter ? mem_printf("Fl %c , ", o->letter) : mem_string("");
	char *left = mem_printf("%s--%s%s%s%s", letter, o->name,
				!*argument ? "" : maybe ? "[=" : " ", argument, maybe ? "]" : "");
	char *macros = mem_printf("%sFl -%s%s%s", flag, o->name,
				  !*argument ? "" : maybe ? " Ns Op = Ns Ar " : " Ar ", argument);

	help_item(form, HELP_COLUMN, left, macros, o->help);
	free(letter);
	free(flag);
	free(left);
	free(macros);
}

static void common_print(enum help_form form, const struct option *options, const char *common)
{
	help_begin(form, "Most used", 'p');
	for (const char *w = common; *w; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");

		for (const struct option *o = options; o->name; o++)
			if (o->type != OPTION_HEADING_ROW && strlen(o->name) == n &&
			    !strncmp(o->name, w, n))
				option_item(form, o);
		w += n;
	}
	help_end(form);
}

void help_options(enum help_form form, const struct option *options, const char *common)
{
	const char *heading = "Options";
	int open = 0;

	if (common)
		common_print(form, options, common);
	for (const struct option *o = options; o->name; o++) {
		if (o->type == OPTION_HEADING_ROW) {
			heading = o->name;
			continue;
		}
		if (heading) {
			if (open)
				help_end(form);
			help_begin(form, heading, 'p');
			heading = NULL;
			open = 1;
		}
		option_item(form, o);
	}
	if (open)
		help_end(form);
}

static void option_words(const struct program *p, const struct option *o, char *const *word, int n)
{
	const char *maybe = o->type == OPTION_MAYBE ? "[=" : "";
	const char *argument = o->argument ? o->argument : "";
	char *values = p->values ? p->values(o->name, word, n) : NULL;

	printf("--%s\t%s%s\t%s%s%s\n", o->name, maybe, argument, o->help, values ? "\t" : "",
	       values ? values : "");
	if (o->letter)
		printf("-%c\t%s%s\t%s%s%s\n", o->letter, maybe, argument, o->help,
		       values ? "\t" : "", values ? values : "");
	free(values);
}

void help_words(const struct program *p, char *const *word, int n)
{
	for (size_t i = 0; p->word && p->word(i); i++)
		puts(p->word(i));
	for (const struct option *o = p->options; o->name; o++)
		if (o->type != OPTION_HEADING_ROW)
			option_words(p, o, word, n);
	puts("--help\t\tprint the options and exit\n--version\t\tprint the version and exit\n"
	     "--config\tFILE\tread options from this configuration file alone\n"
	     "--no-config\t\tread no configuration file");
}

void help_last(enum help_form form)
{
	help_begin(form, "Help and configuration", 'p');
	help_item(form, HELP_COLUMN, "    --help", "Fl -help", "print the options and exit");
	help_item(form, HELP_COLUMN, "    --version", "Fl -version",
		  "print the version and exit");
	help_item(form, HELP_COLUMN, "    --config FILE", "Fl -config Ar FILE",
		  "read options from this configuration file alone, tau-config(5)");
	help_item(form, HELP_COLUMN, "    --no-config", "Fl -no-config",
		  "read no configuration file");
	help_end(form);
}

void help_program(enum help_form form, const struct program *p)
{
	if (form == HELP_TEXT)
		help_usage(p->name, p->usage, p->about);
	help_options(form, p->options, p->common);
	help_last(form);
}
