/*
 * types.c: reads the rules of --types and hands them to the wrapper of memory as lines of numbers:
 *
 *   STRING HEAP VARYING MIN MAX N OFFSET_1 ... OFFSET_N <tab> LIBRARY <tab> PREFIX
 *
 * The wrapper opens no file of its own, in no process of the run; see record/wrap/memory/rule.c for what it does with them.
 */
#include "cmd/record/options/types.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/io/text_file.h"

#define RULES_MOST   32
#define OFFSETS_MOST 8
#define OFFSET_MOST  65536
#define TEXT_MOST    60

struct type_rule {
	int string, heap, varying;
	long min, max;
	long offset[OFFSETS_MOST];
	int n;
	char library[TEXT_MOST + 1], prefix[TEXT_MOST + 1];
};

static int number(const char *word, long least, long most, long *value)
{
	char *end;

	if (!word)
		return 0;
	errno = 0;
	*value = strtol(word, &end, 0);
	return end != word && !*end && !errno && *value >= least && *value <= most;
}

static char *next(char **line)
{
	return strtok_r(NULL, " \t\r\n", line);
}

/* OFFSET -> OFFSET ... and what the name is. */
static int chain_parse(struct type_rule *r, char **line, struct error *e)
{
	char *word;

	for (;;) {
		word = next(line);
		if (r->n == OFFSETS_MOST)
			return error_set(e, ERROR_INPUT, "more than %d offsets", OFFSETS_MOST);
		/* Bytes before the object are no part of its block. */
		if (!number(word, r->n ? -OFFSET_MOST : 0, OFFSET_MOST, &r->offset[r->n]))
			return error_set(e, ERROR_INPUT,
					 "'%s' is not an offset of %d to %d bytes",
					 word ? word : "",
					 r->n ? -OFFSET_MOST : 0, OFFSET_MOST);
		r->n++;
		word = next(line);
		if (!word || strcmp(word, "->") != 0)
			break;
	}
	if (r->n < 2)
		return error_set(e, ERROR_INPUT,
				 "expected OFFSET -> OFFSET: the offsets of the class and of its "
				 "name");
	if (!word || (strcmp(word, "string") != 0 && strcmp(word, "chars") != 0))
		return error_set(e, ERROR_INPUT,
				 "'%s' after the offsets is not ->, string or chars",
				 word ? word : "");
	r->string = !strcmp(word, "string");
	return 0;
}

static int text_parse(char *to, const char *what, const char *word, struct error *e)
{
	if (!word || strlen(word) > TEXT_MOST)
		return error_set(e, ERROR_INPUT, "%s needs a word of at most %d characters", what,
				 TEXT_MOST);
	strcpy(to, word);
	return 0;
}

static int condition_parse(struct type_rule *r, const char *word, char **line, struct error *e)
{
	const char *value;

	if (!strcmp(word, "heap") || !strcmp(word, "varying")) {
		*(*word == 'h' ? &r->heap : &r->varying) = 1;
		return 0;
	}
	if (!strcmp(word, "library"))
		return text_parse(r->library, word, next(line), e);
	if (!strcmp(word, "prefix"))
		return text_parse(r->prefix, word, next(line), e);
	if (strcmp(word, "min") != 0 && strcmp(word, "max") != 0)
		return error_set(e, ERROR_INPUT,
				 "'%s' is not min, max, library, prefix, heap or varying", word);
	value = next(line);
	if (!number(value, 1, LONG_MAX, !strcmp(word, "min") ? &r->min : &r->max))
		return error_set(e, ERROR_INPUT, "%s needs a number of bytes", word);
	return 0;
}

/* A line: 1 with a rule, 0 with none. */
static int line_parse(struct type_rule *r, char *line, struct error *e)
{
	char *rest, *word;
	int code;

	line[strcspn(line, "#")] = 0;
	word = strtok_r(line, " \t\r\n", &rest);
	if (!word)
		return 0;
	if (strcmp(word, "class") != 0)
		return error_set(e, ERROR_INPUT, "'%s' does not begin a rule: rules begin with "
						 "class", word);
	*r = (struct type_rule){.max = LONG_MAX};
	code = chain_parse(r, &rest, e);
	while (!code && (word = next(&rest)))
		code = condition_parse(r, word, &rest, e);
	if (!code && r->min > r->max)
		code = error_set(e, ERROR_INPUT, "min is more than max");
	return code ? code : 1;
}

static char *rule_append(char *all, const struct type_rule *r)
{
	char *now = mem_printf("%s%d %d %d %ld %ld %d", all, r->string, r->heap, r->varying, r->min,
			       r->max, r->n);

	free(all);
	for (int i = 0; i < r->n; i++) {
		all = mem_printf("%s %ld", now, r->offset[i]);
		free(now);
		now = all;
	}
	all = mem_printf("%s\t%s\t%s\n", now, r->library, r->prefix);
	free(now);
	return all;
}

/* A rule in words. */
static void rule_print(const struct type_rule *r, int n, FILE *f)
{
	fprintf(f, "rule %-4d ", n);
	if (r->min > 1 && r->max < LONG_MAX)
		fprintf(f, "blocks of %ld to %ld bytes: ", r->min, r->max);
	else if (r->max < LONG_MAX)
		fprintf(f, "blocks of at most %ld bytes: ", r->max);
	else if (r->min > 1)
		fprintf(f, "blocks of %ld bytes and more: ", r->min);
	else
		fputs("blocks: ", f);
	fprintf(f, "at %ld a pointer to the class", r->offset[0]);
	for (int i = 1; i + 1 < r->n; i++)
		fprintf(f, ", at %ld of that a pointer", r->offset[i]);
	fprintf(f, ", at %ld of that %s", r->offset[r->n - 1],
		r->string ? "a pointer to the name" : "the name itself");
	if (*r->prefix)
		fprintf(f, ", shown after %s", r->prefix);
	if (r->heap)
		fprintf(f, "; class and name in %s or live blocks",
			*r->library ? r->library : "loaded objects");
	else
		fprintf(f, "; class or name in %s", *r->library ? r->library : "a loaded object");
	fprintf(f, "; objects of a class %s\n",
		r->varying ? "may differ in size" : "have one size");
}

/* The rules of the file as lines of numbers, *all; the last argument: NULL, or a stream for their description in words. */
static int rules_read(const char *file, FILE *f, FILE *words, char **all, struct error *e)
{
	char *line = NULL;
	size_t cap = 0, n = 0, rules = 0;
	struct error why = {0};
	struct type_rule r;
	int code = 0;

	while (code >= 0 && getline(&line, &cap, f) >= 0) {
		n++;
		code = line_parse(&r, line, &why);
		if (code == 1 && ++rules > RULES_MOST)
			code = error_set(&why, ERROR_INPUT, "more than %d rules", RULES_MOST);
		if (code == 1)
			*all = rule_append(*all, &r);
		if (code == 1 && words)
			rule_print(&r, (int)rules, words);
	}
	free(line);
	if (code < 0)
		return error_set(e, code, "%s: line %zu: %s", file, n, why.text);
	if (ferror(f))
		return error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	return rules ? 0 : error_set(e, ERROR_INPUT, "%s: it contains no rule", file);
}

int types_set(const char *file, FILE *words, struct error *e)
{
	char *all, *real;
	int code;
	FILE *f;

	unsetenv("TAU_RECORD_TYPES");
	if (!file || !*file)
		return 0;
	f = text_fopen(file, e);
	if (!f)
		return e->code;
	all = mem_string("");
	code = rules_read(file, f, words, &all, e);
	real = code ? NULL : realpath(file, NULL);
	if (!code && !real)
		code = error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	if (!code) {
		setenv("TAU_MEMORY_TYPES", real, 1);
		setenv("TAU_RECORD_TYPES", all, 1);
	}
	fclose(f);
	free(real);
	free(all);
	return code;
}
