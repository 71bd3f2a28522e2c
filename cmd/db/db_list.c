/* db_list.c: tau-db list: trials that a condition selects, as a table. */
#include <string.h>
#include <strings.h>

#include "cmd/db/db_command.h"
#include "cmd/db/db_differing.h"
#include "cmd/shared/help.h"
#include "cmd/shared/trial_facts.h"
#include "cmd/shared/trial_where.h"
#include "cmd/shared/output.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"
#include "db/db.h"
#include "record/metadata.h"

static const char *condition, *sort, *columns;
static int differing, values;
static long top;

static const struct option list_options[] = {
	OPTION_DB,
	OPTION_FORMAT,
	OPTION_TIMEOUT(db_common.timeout),
	OPTION_WHERE(condition),
	{'s', "sort", OPTION_TEXT, "NAMES",
	 "sort by these facts, separated by commas; -NAME: the largest first", &sort},
	{'c', "columns", OPTION_TEXT, "NAMES",
	 "print these facts, separated by commas (metadata, too)", &columns},
	{'D', "differing", OPTION_FLAG, NULL,
	 "print also the metadata in which these trials differ, those with the fewest values first",
	 &differing},
	{0, "values", OPTION_FLAG, NULL,
	 "print the values in which these trials differ instead, each with its number of trials",
	 &values},
	{'t', "top", OPTION_NUMBER, "N",
	 "print at most N trials, or with --values N values of each name; 0: all (default: 0)",
	 &top},
	{0},
};

enum { FACT_WIDTH = 14 };

static const char usual[] = "id,name,pes,threads,metrics,timers,counters,windows,started,tags";

struct list_order {
	size_t column;
	int reverse;
};

struct selected_trials {
	struct facts facts;
	size_t *trial; /* numbers in facts.trial */
	size_t trial_n;
	size_t *shown; /* columns */
	size_t shown_n, shown_cap;
	struct list_order *order;
	size_t order_n, order_cap;
};

/* Each name of a list, separated by commas. */
static int each_name(struct selected_trials *s, const char *what, const char *list,
		     void (*receive)(struct selected_trials *s, size_t column, int reverse),
		     struct error *e)
{
	char *copy = mem_string(list), *save = NULL;
	int code = *list ? 0 : error_set(e, ERROR_USAGE, "%s: there is no name", what);

	for (char *w = strtok_r(copy, ",", &save); code == 0 && w; w = strtok_r(NULL, ",", &save)) {
		int reverse = *w == '-' && receive != NULL && !strcmp(what, "--sort");
		size_t column;

		w += reverse;
		w += strspn(w, " ");
		code = facts_column(&s->facts, what, w, &column, e);
		if (code == 0)
			receive(s, column, reverse);
	}
	free(copy);
	return code;
}

static void parse_shown(struct selected_trials *s, size_t column, int reverse)
{
	(void)reverse;
	for (size_t i = 0; i < s->shown_n; i++)
		if (s->shown[i] == column)
			return;
	*array_add(s, shown) = column;
}

static void parse_order(struct selected_trials *s, size_t column, int reverse)
{
	*array_add(s, order) = (struct list_order){column, reverse};
}

/* Texts: as numbers if both are. What a trial does not have comes last in either direction. */
static int compare_texts(const char *x, const char *y, int reverse)
{
	char *end_x, *end_y;
	double m, n;
	int result;

	if (!x || !y)
		return !x - !y;
	m = strtod(x, &end_x);
	n = strtod(y, &end_y);
	if (*x && *y && !*end_x && !*end_y)
		result = (m > n) - (m < n);
	else
		result = strcmp(x, y);
	return reverse ? -result : result;
}

static int compare_facts(const struct facts *f, const struct list_order *o, size_t a, size_t b)
{
	enum fact_kind kind = f->column[o->column].kind;
	char buf_a[32], buf_b[32];
	int64_t m, n;

	if (!fact_is_number(kind))
		return compare_texts(fact_text(f, o->column, a, buf_a),
				     fact_text(f, o->column, b, buf_b), o->reverse);
	m = fact_number(f, o->column, a);
	n = fact_number(f, o->column, b);
	return o->reverse ? (m < n) - (m > n) : (m > n) - (m < n);
}

static int trial_order(const void *x, const void *y, void *to)
{
	const size_t *a = x, *b = y;
	const struct selected_trials *s = to;

	for (size_t i = 0; i < s->order_n; i++) {
		int result = compare_facts(&s->facts, &s->order[i], *a, *b);

		if (result)
			return result;
	}
	return (*a > *b) - (*a < *b);
}

/* Each column once. */
static int show_differing(struct selected_trials *s, struct error *e)
{
	struct differing_list l;
	static const char *const usual_names[] = {"Application", "Experiment",
						  TAU_META_HOSTNAME};
	int code = differing_find(&s->facts, s->trial, s->trial_n, &l, e);

	for (size_t i = 0; code == 0 && !columns && i < 3; i++)
		for (size_t c = 0; c < s->facts.column_n; c++)
			if (!strcasecmp(s->facts.column[c].key, usual_names[i]))
				parse_shown(s, c, 0);
	for (size_t i = 0; code == 0 && i < l.v_n; i++)
		parse_shown(s, l.v[i].column, 0);
	differing_release(&l);
	return code;
}

static int select_trials(struct selected_trials *s, struct error *e)
{
	struct where *w = NULL;
	int code = condition ? where_parse(condition, &s->facts, &w, e) : 0;

	if (code == 0)
		code = each_name(s, "--columns", columns ? columns : usual, parse_shown, e);
	if (code == 0 && sort)
		code = each_name(s, "--sort", sort, parse_order, e);
	s->trial = mem_alloc((s->facts.trial_n + 1) * sizeof(*s->trial));
	for (size_t i = 0; code == 0 && i < s->facts.trial_n; i++)
		if (where_holds(w, &s->facts, i))
			s->trial[s->trial_n++] = i;
	if (code == 0 && differing)
		code = show_differing(s, e);
	qsort_r(s->trial, s->trial_n, sizeof(*s->trial), trial_order, s);
	where_free(w);
	return code;
}

static struct table *trials_table(const struct selected_trials *s)
{
	struct table *t = table_new(NULL);
	size_t shown = top && (size_t)top < s->trial_n ? (size_t)top : s->trial_n;
	char buf[32];

	table_fact_number(t, "trials", (double)s->trial_n);
	if (shown < s->trial_n)
		table_remark(t, "%zu of %zu trials; --top 0 lists all.", shown, s->trial_n);
	for (size_t c = 0; c < s->shown_n; c++) {
		const struct fact_column *column = &s->facts.column[s->shown[c]];

		table_column(t, fact_is_number(column->kind) ? TABLE_INTEGER : TABLE_TEXT,
			     column->key, column->title, NULL, 0);
		/* On a narrow terminal, dates are more important than these; what --columns names
		 * is shown. */
		if (!columns && column->kind == FACT_METRICS)
			table_column_spare(t, c, 2);
		if (!columns && column->kind == FACT_COUNTERS)
			table_column_spare(t, c, 1);
	}
	for (size_t i = 0; i < shown; i++) {
		table_row(t);
		for (size_t c = 0; c < s->shown_n; c++) {
			size_t column = s->shown[c];

			if (fact_is_number(s->facts.column[column].kind))
				table_put_integer(t, c,
						  fact_number(&s->facts, column, s->trial[i]));
			else
				table_put_text(t, c,
					       fact_text(&s->facts, column, s->trial[i], buf));
		}
	}
	return t;
}

static int print_trials(struct db *db, FILE *f, enum table_format as, struct error *e)
{
	struct selected_trials s = {0};
	struct table *t;
	int code = facts_open(db, &s.facts, e);

	if (code == 0)
		code = select_trials(&s, e);
	if (code == 0) {
		t = values ? differing_table(&s.facts, s.trial, s.trial_n, (size_t)top, e)
			   : trials_table(&s);
		code = t ? 0 : e->code;
	}
	if (code == 0) {
		table_print(t, f, as, table_width(stdout));
		table_free(t);
	}
	facts_release(&s.facts);
	free(s.trial);
	free(s.shown);
	free(s.order);
	return code;
}

static int run_list(int n, char **operand, struct error *e)
{
	enum table_format as;
	struct output out;
	struct db *db;
	int code = db_format(&as, e);

	if (top < 0)
		return error_set(e, ERROR_USAGE, "--top: a number from 0 on is needed");
	if (n > 0)
		return error_set(e, ERROR_USAGE, "list takes no operand such as '%s'", operand[0]);
	if (code == 0)
		code = db_open_file(DB_READ, &db, e);
	if (code < 0)
		return code;
	output_open(&out);
	code = print_trials(db, out.file, as, e);
	db_close(db);
	if (code == 0)
		return output_close(&out, NULL, e);
	output_drop(&out);
	return code;
}

static void list_help(const struct program *p, enum help_form form, char *const *word, int n)
{
	(void)word;
	(void)n;
	if (form == HELP_TEXT)
		help_usage(p->name, p->usage, p->about);
	help_options(form, p->options, NULL);
	help_begin(form, "Facts, which are columns; all other names are metadata", 'p');
	for (enum fact_kind kind = 0; kind < FACT_METADATA; kind++) {
		char *macros = mem_printf("Li %s", fact_key(kind));

		help_item(form, FACT_WIDTH, fact_key(kind), macros, fact_about(kind));
		free(macros);
	}
	help_end(form);
	if (form == HELP_TEXT)
		help_last(form);
}

const struct db_command command_list = {
	.run = run_list,
	.program.name = "tau-db list",
	.program.usage = "[options]",
	.program.about = "Lists the trials.",
	.program.options = list_options,
	.program.help = list_help,
};
