/* view_runs.c: command lines of reports, from what a page asks for. */
#include "cmd/view/view_runs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "cmd/report/kinds.h"
#include "cmd/shared/option_use.h"
#include "cmd/shared/shell_word.h"
#include "cmd/table/table_text.h"

#define VALUE_MOST 400  /* bytes of an argument, */
#define ROWS_MOST  4000 /* of one that names hosts and PEs */
#define WHERE_MOST 4000 /* of a condition, and of numbers of trials */

/* ---- what may be asked ---- */

/* Is it about several runs at once? */
static int is_several(const struct report_kind *k)
{
	return k->runs != NULL;
}

int view_has(const struct view_runs *r, const struct report_kind *k)
{
	return k->print && !k->baseline && strcmp(k->name, "plugin") != 0 &&
	       !(r->db && k->events) && (!is_several(k) || r->run_n != 1);
}

/* Does the page choose among the trials of a database? */
static int is_store(const struct view_runs *r)
{
	return r->db && !r->run_n;
}

static int is_of(const char *text, const char *chars)
{
	return *text && strlen(text) <= WHERE_MOST && !text[strspn(text, chars)];
}

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* A window is one argument: whatever it contains, it is a window or refused by tau-report. */
static int is_window(const char *text)
{
	return *text && *text != '-' && strlen(text) <= VALUE_MOST;
}

/* Trials that the page has chosen. A condition is one argument, as a window is. */
static int check_trials(const struct view_runs *r, const struct view_ask *a, struct error *e)
{
	if (!is_store(r) && (a->trials || a->where))
		return error_set(e, ERROR_USAGE, "there are no trials to choose from");
	if (a->trials && !is_of(a->trials, DIGITS ","))
		return error_set(e, ERROR_USAGE, "trials are numbers with commas between them");
	if (a->where && (!*a->where || *a->where == '-' || strlen(a->where) > WHERE_MOST))
		return error_set(e, ERROR_USAGE, "this is no condition");
	return 0;
}

/* It begins with a level, which has letters alone, so it is no option. */
static int is_rows(const char *text)
{
	return isalpha((unsigned char)*text) && strlen(text) <= ROWS_MOST &&
	       !text[strspn(text, LETTERS DIGITS "=,.-_")];
}

static int has_by(const struct report_kind *k, const char *by)
{
	const struct report_by *b = k->by;

	while (b && b->name && strcmp(b->name, by) != 0)
		b++;
	return b && b->name;
}

static int check(const struct report_kind *k, const struct view_runs *r, const struct view_ask *a,
		 struct error *e)
{
	static const char *const formats = " text csv json svg ";
	char *format = mem_printf(" %s ", a->format ? a->format : "text");
	int known = strstr(formats, format) != NULL;

	free(format);
	if (!k || !view_has(r, k))
		return error_set(e, ERROR_USAGE, "there is no such kind of report");
	if (!known)
		return error_set(e, ERROR_USAGE, "there is no such format");
	if (a->window && !is_window(a->window))
		return error_set(e, ERROR_USAGE, "this is no window");
	if (a->by && !has_by(k, a->by))
		return error_set(e, ERROR_USAGE, "%s: there is no such --by", k->name);
	if ((a->cells && !is_of(a->cells, DIGITS "ns")) || (a->top && !is_of(a->top, DIGITS)) ||
	    (a->rows && !is_rows(a->rows)) || (a->rank && !is_of(a->rank, DIGITS ",.-")) ||
	    (a->thread && !is_of(a->thread, DIGITS ",.-")))
		return error_set(e, ERROR_USAGE, "a number is needed");
	if (k->word && (!a->word || !*a->word || *a->word == '-'))
		return error_set(e, ERROR_USAGE, "%s: name a %s", k->name, k->word);
	if (a->run && (!is_of(a->run, DIGITS) || strtoull(a->run, NULL, 10) >= r->run_n))
		return error_set(e, ERROR_USAGE, "there is no such run");
	if (is_store(r) && !is_several(k) && !a->trials)
		return error_set(e, ERROR_USAGE, "choose a trial");
	return check_trials(r, a, e);
}

/* ---- the command ---- */

static void add(struct view_command *c, const char *word)
{
	*array_add(c, v) = word ? mem_string(word) : NULL;
}

static void add_option(struct view_command *c, const char *option, const char *value)
{
	if (!value)
		return;
	add(c, option);
	add(c, value);
}

/* The trials to choose from, or what differs between them. */
static int list_make(struct view_command *c, const struct view_runs *r, const struct view_ask *a,
		     struct error *e)
{
	if (check_trials(r, a, e))
		return e->code;
	if (a->top && !is_of(a->top, DIGITS))
		return error_set(e, ERROR_USAGE, "a number is needed");
	if (a->sort && (!*a->sort || strlen(a->sort) > VALUE_MOST || !strncmp(a->sort, "--", 2)))
		return error_set(e, ERROR_USAGE, "this is no order");
	if (a->format && strcmp(a->format, "json") != 0 && strcmp(a->format, "csv") != 0)
		return error_set(e, ERROR_USAGE, "there is no such format");
	c->program = r->store;
	add(c, "tau-db");
	add(c, "list");
	add(c, !strcmp(a->kind, VIEW_VALUES) ? "--values" : "--differing");
	add_option(c, "--top", a->top);
	add_option(c, "-f", a->format);
	add_option(c, "--db", r->db);
	add_option(c, "--where", a->where);
	add_option(c, "--sort", a->sort);
	add(c, NULL);
	c->v_n--;
	return 0;
}

static void add_trials(struct view_command *c, const char *trials)
{
	char *copy = mem_string(trials), *save = NULL;

	for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save))
		add(c, w);
	free(copy);
}

int view_command_make(struct view_command *c, const struct view_runs *r, const struct view_ask *a,
		      struct error *e)
{
	const struct report_kind *k = a->kind ? kind_find(a->kind) : NULL;
	size_t run = a->run ? (size_t)strtoull(a->run, NULL, 10) : 0;
	char threads[16];

	*c = (struct view_command){.program = r->program};
	if (is_store(r) && a->kind &&
	    (!strcmp(a->kind, VIEW_TRIALS) || !strcmp(a->kind, VIEW_VALUES)))
		return list_make(c, r, a, e);
	if (check(k, r, a, e))
		return e->code;
	add(c, "tau-report");
	add(c, k->name);
	add_option(c, "-w", a->window);
	add_option(c, "--by", a->by);
	add_option(c, "--rank", a->rank);
	add_option(c, "--thread", a->thread);
	if (a->squares)
		add(c, "--squares");
	add_option(c, "--cells", a->cells);
	add_option(c, "--rows", a->rows);
	add_option(c, "--top", a->top);
	add_option(c, "-f", a->format);
	add_option(c, "--db", r->db);
	if (!a->trials)
		add_option(c, "--where", a->where);
	if (a->is_run && option_is_word(k->options, "threads")) {
		snprintf(threads, sizeof(threads), "%u", r->threads);
		add_option(c, "-j", threads);
	}
	add(c, "--");
	if (k->word)
		add(c, a->word);
	if (a->trials)
		add_trials(c, a->trials);
	for (size_t i = 0; i < r->run_n; i++)
		if (is_several(k) || i == run)
			add(c, r->run[i]);
	add(c, NULL);
	c->v_n--;
	return 0;
}

void view_command_release(struct view_command *c)
{
	for (size_t i = 0; i < c->v_n; i++)
		free(c->v[i]);
	free(c->v);
	*c = (struct view_command){0};
}

/* Does an operand begin with a dash? Otherwise the text has no dashes before them. */
static int needs_dashes(const struct view_command *c)
{
	size_t i = 0;

	while (i < c->v_n && strcmp(c->v[i], "--") != 0)
		i++;
	for (i++; i < c->v_n; i++)
		if (c->v[i][0] == '-')
			return 1;
	return 0;
}

char *view_command_text(const struct view_command *c)
{
	size_t size;
	char *text = NULL;
	FILE *f = mem_stream(&text, &size);

	for (size_t i = 0; i < c->v_n; i++) {
		char *word = shell_word(c->v[i]);

		if (strcmp(word, "--") != 0 || needs_dashes(c))
			fprintf(f, "%s%s", i ? " " : "", word);
		free(word);
	}
	fclose(f);
	return text;
}

/* ---- what there is ---- */

static const char *truth(int is)
{
	return is ? "true" : "false";
}

static void put_kind(FILE *f, const struct report_kind *k)
{
	fputs("{\"name\":", f);
	table_json_string(f, k->name);
	table_json_member(f, "title", k->title ? k->title : k->name);
	table_json_member(f, "about", k->about);
	table_json_member(f, "word", k->word);
	fprintf(f, ",\"several\":%s,\"picture\":%s,\"tables\":%s,\"squares\":%s,\"by\":[",
		truth(is_several(k)), truth(k->page >= REPORT_PAGE_PICTURE),
		truth(k->page != REPORT_PAGE_PICTURE),
		truth(option_is_word(k->options, "squares")));
	for (const struct report_by *b = k->by; b && b->name; b++) {
		fputs(b == k->by ? "" : ",", f);
		table_json_string(f, b->name);
	}
	fputs("]}", f);
}

char *view_runs_json(const struct view_runs *r)
{
	size_t size, n = 0;
	char *text = NULL;
	FILE *f = mem_stream(&text, &size);

	fprintf(f, "{\"db\": %s, \"store\": %s, \"runs\": [", truth(r->db != NULL),
		truth(is_store(r)));
	for (size_t i = 0; i < r->run_n; i++) {
		fputs(i ? ", " : "", f);
		table_json_string(f, r->name[i]);
	}
	fputs("],\n\"kinds\": [\n", f);
	for (size_t i = 0; report_kinds[i]; i++)
		if (view_has(r, report_kinds[i])) {
			fputs(n++ ? ",\n" : "", f);
			put_kind(f, report_kinds[i]);
		}
	fputs("]}\n", f);
	fclose(f);
	return text;
}
