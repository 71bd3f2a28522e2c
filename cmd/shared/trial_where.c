/* trial_where.c: parses and evaluates conditions that select trials or runs, by recursive descent. */
#include "cmd/shared/trial_where.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "db/meta.h"

enum { DEPTH_MOST = 100 };

enum where_kind {
	WHERE_EQUAL,
	WHERE_UNEQUAL,
	WHERE_AT_MOST,
	WHERE_AT_LEAST,
	WHERE_BELOW,
	WHERE_ABOVE,
	WHERE_PATTERN,
	WHERE_LIKE,
	WHERE_HAS,
	WHERE_TAG,
	WHERE_NOT_TAG,
	WHERE_NOT,
	WHERE_AND,
	WHERE_OR,
};

/* In the order of kinds; those of two characters are before their beginnings. */
static const struct {
	const char *text;
	enum where_kind kind;
} operators[] = {
	{"!=", WHERE_UNEQUAL}, {"<=", WHERE_AT_MOST}, {">=", WHERE_AT_LEAST}, {"==", WHERE_EQUAL},
	{"=", WHERE_EQUAL},    {"<", WHERE_BELOW},    {">", WHERE_ABOVE},     {"~", WHERE_PATTERN},
};
#define OPERATORS (sizeof(operators) / sizeof(operators[0]))

struct where {
	enum where_kind kind;
	size_t column;
	char *value;
	struct where *a, *b;
};

struct parser {
	const char *text, *at;
	struct facts *facts;
	struct error *e;
	int depth;
};

void where_free(struct where *w)
{
	if (!w)
		return;
	where_free(w->a);
	where_free(w->b);
	free(w->value);
	free(w);
}

static int wrong(struct parser *p, const char *expected)
{
	return error_set(p->e, ERROR_USAGE, "--where: at character %zu of '%s': expected %s",
			 (size_t)(p->at - p->text) + 1, p->text, expected);
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static int is_word(char c)
{
	return c && !isspace((unsigned char)c) && !strchr("()=!<>~'\"", c);
}

/* The keyword, if it comes next as a whole word. */
static int keyword(struct parser *p, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(p);
	if (strncasecmp(p->at, word, n) != 0 || is_word(p->at[n]))
		return 0;
	p->at += n;
	return 1;
}

/* A word, or a text in quotes; a quote that is doubled is part of it. */
static int parse_text(struct parser *p, char **out, const char *expected)
{
	size_t n = 0;
	char quote;

	skip_blanks(p);
	quote = *p->at;
	if (quote != '\'' && quote != '"') {
		while (is_word(p->at[n]))
			n++;
		if (!n)
			return wrong(p, expected);
		*out = mem_printf("%.*s", (int)n, p->at);
		p->at += n;
		return 0;
	}
	*out = mem_alloc(strlen(p->at) + 1);
	for (p->at++; *p->at && (*p->at != quote || p->at[1] == quote); p->at++) {
		p->at += *p->at == quote;
		(*out)[n++] = *p->at;
	}
	if (*p->at == quote) {
		p->at++;
		return 0;
	}
	free(*out);
	*out = NULL;
	return wrong(p, "the end of the quoted text");
}

static struct where *node(enum where_kind kind, struct where *a, struct where *b)
{
	struct where *w = mem_alloc(sizeof(*w));

	w->kind = kind;
	w->a = a;
	w->b = b;
	return w;
}

/* A pattern of SQL as one of fnmatch(). Frees it. */
static char *like_pattern(char *like)
{
	char *out = mem_alloc(2 * strlen(like) + 1), *to = out;

	for (const char *at = like; *at; at++) {
		if (strchr("*?[]\\", *at))
			*to++ = '\\';
		*to++ = *at == '%' ? '*' : *at == '_' ? '?' : *at;
	}
	*to = 0;
	free(like);
	return out;
}

static int parse_like(struct parser *p, struct where *w)
{
	int code = parse_text(p, &w->value, "a pattern with % and _");

	w->kind = WHERE_LIKE;
	if (code == 0)
		w->value = like_pattern(w->value);
	return code;
}

static int parse_operator(struct parser *p, struct where *w)
{
	if (keyword(p, "like"))
		return parse_like(p, w);
	for (size_t i = 0; i < OPERATORS; i++) {
		size_t n = strlen(operators[i].text);

		if (strncmp(p->at, operators[i].text, n) != 0)
			continue;
		p->at += n;
		w->kind = operators[i].kind;
		return parse_text(p, &w->value, "a value");
	}
	return 0;
}

static int parse_comparison(struct parser *p, struct where **out)
{
	struct where *w;
	char *name;
	int code = parse_text(p, &name, "a name"), tag;

	if (code < 0)
		return code;
	tag = !strcasecmp(name, "tag");
	*out = w = node(WHERE_HAS, NULL, NULL);
	code = facts_column(p->facts, "--where", tag ? "tags" : name, &w->column, p->e);
	free(name);
	if (code == 0)
		code = parse_operator(p, w);
	if (code == 0 && tag && w->kind != WHERE_HAS) {
		if (w->kind != WHERE_EQUAL && w->kind != WHERE_UNEQUAL)
			return wrong(p, "tag = WORD or tag != WORD");
		w->kind = w->kind == WHERE_EQUAL ? WHERE_TAG : WHERE_NOT_TAG;
	}
	return code;
}

static int parse_or(struct parser *p, struct where **out);

static int parse_not(struct parser *p, struct where **out)
{
	int code;

	if (++p->depth > DEPTH_MOST)
		return wrong(p, "fewer parentheses");
	if (keyword(p, "not")) {
		*out = node(WHERE_NOT, NULL, NULL);
		code = parse_not(p, &(*out)->a);
	} else if (*p->at == '(') {
		p->at++;
		code = parse_or(p, out);
		skip_blanks(p);
		if (code == 0 && *p->at != ')')
			code = wrong(p, "')'");
		p->at += code == 0;
	} else {
		code = parse_comparison(p, out);
	}
	p->depth--;
	return code;
}

static int parse_and(struct parser *p, struct where **out)
{
	int code = parse_not(p, out);

	while (code == 0 && keyword(p, "and")) {
		*out = node(WHERE_AND, *out, NULL);
		code = parse_not(p, &(*out)->b);
	}
	return code;
}

static int parse_or(struct parser *p, struct where **out)
{
	int code = parse_and(p, out);

	while (code == 0 && keyword(p, "or")) {
		*out = node(WHERE_OR, *out, NULL);
		code = parse_and(p, &(*out)->b);
	}
	return code;
}

int where_parse(const char *text, struct facts *f, struct where **out, struct error *e)
{
	struct parser p = {.text = text, .at = text, .facts = f, .e = e};
	int code;

	*out = NULL;
	code = parse_or(&p, out);
	skip_blanks(&p);
	if (code == 0 && *p.at)
		code = wrong(&p, "'and', 'or' or the end");
	if (code < 0) {
		where_free(*out);
		*out = NULL;
	}
	return code;
}

static int is_number(const char *text, double *v)
{
	char *end;

	*v = strtod(text, &end);
	return *text && !*end;
}

/* Below 0, 0, above 0: as numbers if both are, otherwise as text. number: of the fact, NULL: it is a text. */
static int compare(const char *a, const double *number, const char *b)
{
	double x = number ? *number : 0, y;

	if ((number || is_number(a, &x)) && is_number(b, &y))
		return (x > y) - (x < y);
	return strcmp(a, b);
}

static int holds(const struct where *w, const char *value, const double *number)
{
	switch (w->kind) {
	case WHERE_EQUAL:
		return compare(value, number, w->value) == 0;
	case WHERE_UNEQUAL:
		return compare(value, number, w->value) != 0;
	case WHERE_AT_MOST:
		return compare(value, number, w->value) <= 0;
	case WHERE_AT_LEAST:
		return compare(value, number, w->value) >= 0;
	case WHERE_BELOW:
		return compare(value, number, w->value) < 0;
	case WHERE_ABOVE:
		return compare(value, number, w->value) > 0;
	case WHERE_PATTERN:
		return !fnmatch(w->value, value, 0);
	case WHERE_LIKE:
		return !fnmatch(w->value, value, FNM_CASEFOLD);
	case WHERE_TAG:
		return db_has_tag(value, w->value);
	default:
		return 1;
	}
}

int where_holds(const struct where *w, const struct facts *f, size_t trial)
{
	const char *value;
	double number;
	char buf[32];

	if (!w)
		return 1;
	if (w->kind == WHERE_NOT)
		return !where_holds(w->a, f, trial);
	if (w->kind == WHERE_AND)
		return where_holds(w->a, f, trial) && where_holds(w->b, f, trial);
	if (w->kind == WHERE_OR)
		return where_holds(w->a, f, trial) || where_holds(w->b, f, trial);
	value = fact_text(f, w->column, trial, buf);
	if (w->kind == WHERE_NOT_TAG)
		return !value || !db_has_tag(value, w->value);
	if (fact_is_number(f->column[w->column].kind)) {
		number = (double)fact_number(f, w->column, trial);
		return holds(w, value, &number);
	}
	return value && holds(w, value, NULL);
}
