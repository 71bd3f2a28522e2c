/* report_help.c: prints which kinds of report answer which question, and what one kind has: its options and values of --by. */
#include "cmd/report/report_help.h"

#include <string.h>

#include "cmd/report/kinds.h"
#include "cmd/report/report.h"
#include "cmd/shared/help.h"
#include "cmd/shared/option_use.h"
#include "cmd/table/table_fields.h"

enum { KIND_COLUMN = 18, FEW = 4 };

static const char *const questions[QUESTIONS] = {
	[QUESTION_OVERVIEW] = "What happened, and where to look next",
	[QUESTION_SLOW] = "What is slow",
	[QUESTION_WAITS] = "Who waits, and for what",
	[QUESTION_TIME] = "What happens over time",
	[QUESTION_CHANGED] = "What changed between runs",
	[QUESTION_SCALING] = "How it scales",
	[QUESTION_TRAFFIC] = "Messages, files and devices",
	[QUESTION_MEMORY] = "Memory",
	[QUESTION_PLUGIN] = "Programs of your own",
};

static int is_default(const struct report_kind *k, const struct report_by *b)
{
	return k->by_default ? !strcmp(b->name, k->by_default) : b == k->by;
}

static void value_print(enum help_form form, const char *name, const char *about, int without)
{
	char *macros = mem_printf("Cm %s", name);
	char *text = mem_printf("%s%s", about, without ? " (default)" : "");

	help_item(form, KIND_COLUMN, name, macros, text);
	free(macros);
	free(text);
}

static void by_print(enum help_form form, const struct report_kind *k)
{
	if (form == HELP_TEXT)
		help_begin(form, "Values of --by: one row for each", 'p');
	else
		puts(".Bl -tag -width collective -compact");
	for (const struct report_by *b = k->by; b->name; b++)
		value_print(form, b->name, b->about, is_default(k, b));
	help_end(form);
}

/* Options other than --by that have a fixed list of values. */
static void values_print(enum help_form form, const struct report_kind *k)
{
	for (const struct report_values *v = k->values; v && v->option; v++) {
		char *heading = mem_printf("Values of --%s", v->option);

		if (form == HELP_TEXT)
			help_begin(form, heading, 'p');
		else
			printf(".br\n.Fl -%s :\n.Bl -tag -width collective -compact\n", v->option);
		for (const struct report_value *w = v->value; w->name; w++)
			value_print(form, w->name, w->about,
				    v->without ? !strcmp(w->name, v->without) : w == v->value);
		help_end(form);
		free(heading);
	}
}

/* Is the option one that only some kinds have, and this one has, or one that this and most others have? */
static int is_own(const struct report_kind *k, const char *option)
{
	return k->options && option_is_word(k->options, option);
}

static int is_common(const struct report_kind *k, const char *option)
{
	char *kinds = kinds_with(option);
	int common = !*kinds && !(k->lacks && option_is_word(k->lacks, option));

	free(kinds);
	return common;
}

static void options_print(const struct report_kind *k, const struct option *all,
			  const char *heading,
			  int (*is)(const struct report_kind *k, const char *option))
{
	struct {
		struct option *v;
		size_t v_n, v_cap;
	} some = {0};

	*array_add(&some, v) = (struct option)OPTION_HEADING(heading);
	for (const struct option *o = all; o->name; o++)
		if (o->type != OPTION_HEADING_ROW && is(k, o->name))
			*array_add(&some, v) = *o;
	*array_add(&some, v) = (struct option){0};
	help_options(HELP_TEXT, some.v, NULL);
	free(some.v);
}

static void kind_print(const struct report_kind *k, const struct option *options)
{
	char *usage = mem_printf("%s [options] %s%s%s", k->name, k->word ? k->word : "",
				 k->word ? " " : "", k->runs ? k->runs : "RUN");
	char *about = mem_printf("%s: %s.", questions[k->question], k->about);

	help_usage("tau-report", usage, about);
	if (k->by)
		by_print(HELP_TEXT, k);
	values_print(HELP_TEXT, k);
	options_print(k, options, "Options of this kind", is_own);
	options_print(k, options, "Options of most kinds", is_common);
	printf("\nExample:\n  tau-report %s %s\n", k->name, k->example);
	help_text(HELP_TEXT, "tau-report(1) describes the rows and columns; --explain prints them "
			     "with a report.");
	free(usage);
	free(about);
}

/* The options that only some kinds have, as a line of a manual page. */
static void own_list(const struct report_kind *k, const struct option *options)
{
	const char *before = ".br\nOptions:";

	for (const struct option *o = options; o->name; o++) {
		if (o->type == OPTION_HEADING_ROW || !is_own(k, o->name))
			continue;
		printf("%s\n.Fl -%s", before, o->name);
		before = " ,";
	}
	if (*before == ' ')
		puts(" .");
}

static void kinds_print(enum help_form form, const struct option *options,
			enum report_question question)
{
	help_begin(form, questions[question], 'p');
	for (const struct report_kind *const *k = report_kinds; *k; k++) {
		const char *word = (*k)->word ? (*k)->word : "";
		char *left = mem_printf("%s%s%s", (*k)->name, *word ? " " : "", word);
		char *macros = mem_printf("Cm %s%s%s", (*k)->name, *word ? " Ar " : "", word);

		if ((*k)->question == question) {
			help_item(form, KIND_COLUMN, left, macros, (*k)->about);
			if (form == HELP_PAGE)
				own_list(*k, options);
			if (form == HELP_PAGE && (*k)->by)
				by_print(form, *k);
			if (form == HELP_PAGE)
				values_print(form, *k);
		}
		free(left);
		free(macros);
	}
	help_end(form);
}

/* "diff, why" of an option that few kinds have; NULL: all or many have it. To be freed. */
static char *few_kinds(const char *option)
{
	char *kinds = kinds_with(option), *list = mem_alloc(2 * strlen(kinds) + 1), *to = list;
	size_t n = *kinds != 0;

	for (const char *s = kinds; *s; s++) {
		n += *s == ' ';
		if (*s == ' ')
			*to++ = ',';
		*to++ = *s;
	}
	*to = 0;
	free(kinds);
	if (n && n <= FEW)
		return list;
	free(list);
	return NULL;
}

/* All options by group; those that few kinds have, with these kinds. */
static void all_options(enum help_form form, const struct option *options)
{
	size_t n = 0;
	struct option *v;

	while (options[n].name)
		n++;
	v = mem_copy(options, n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		char *kinds = v[i].help ? few_kinds(v[i].name) : NULL;

		if (v[i].help)
			v[i].help = kinds ? mem_printf("%s: %s", kinds, v[i].help)
					  : mem_string(v[i].help);
		free(kinds);
	}
	help_options(form, v, NULL);
	for (size_t i = 0; i < n; i++)
		free((char *)v[i].help);
	free(v);
}

/* Has a field before this one the same key? */
static int is_known(const struct table_field *const *columns, const struct table_field *field)
{
	for (; *columns; columns++)
		for (const struct table_field *f = *columns; f->key; f++)
			if (f == field)
				return 0;
			else if (!strcmp(f->key, field->key))
				return 1;
	return 0;
}

/* The text with N for each such character: what a column is repeated for. To be freed. */
static char *with_n(const char *text, char c)
{
	char *s = mem_string(text ? text : "");

	for (char *at = s; *at; at++)
		*at = *at == c ? 'N' : *at;
	return s;
}

static void column_page(const struct table_field *f)
{
	char *key = with_n(f->key, '*'), *formula = with_n(f->formula, '$'),
	     *macros = mem_printf("Li %s", key),
	     *text = mem_printf(*formula ? "%s (%s)" : "%s%s", f->meaning, formula);

	help_item(HELP_PAGE, 0, "", macros, text);
	free(key);
	free(formula);
	free(macros);
	free(text);
}

/* The columns of a kind, for the manual page: each key once. */
static void columns_page(const struct report_kind *k)
{
	char *heading = mem_printf("Columns of %s", k->name);

	help_begin(HELP_PAGE, heading, 'p');
	for (const struct table_field *const *c = k->columns; *c; c++)
		for (const struct table_field *f = *c; f->key; f++)
			if (!is_known(k->columns, f))
				column_page(f);
	help_end(HELP_PAGE);
	free(heading);
}

const char *report_word(size_t i)
{
	return report_kinds[i] ? report_kinds[i]->name : NULL;
}

char *report_values_words(const char *option, char *const *word, int n)
{
	for (int i = 0; i < n; i++)
		if (kind_find(word[i]))
			return report_value_names(kind_find(word[i]), option);
	return NULL;
}

void report_help(const struct program *program, enum help_form form, char *const *word, int n)
{
	for (int i = 0; i < n && form == HELP_TEXT; i++)
		if (kind_find(word[i])) {
			kind_print(kind_find(word[i]), program->options);
			return;
		}
	if (form == HELP_TEXT)
		help_usage(program->name, program->usage, program->about);
	help_text(form, "Kinds, by question (tau-report KIND --help describes one; without KIND: "
			"overview):");
	for (enum report_question q = 0; q < QUESTIONS; q++)
		kinds_print(form, program->options, q);
	help_text(form, "Options (not all kinds have all of them):");
	all_options(form, program->options);
	help_last(form);
	for (const struct report_kind *const *k = report_kinds; *k; k++)
		if (form == HELP_PAGE && (*k)->columns)
			columns_page(*k);
}
