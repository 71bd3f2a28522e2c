/*
 * experiment_file.c: reads and writes experiment files:
 *
 *	[experiment]
 *	command = mpirun -np {n} {variant}
 *	sizes = 2,4,8
 *	[variants]
 *	old = ./a
 *
 * A line is a heading, a key with its value, or empty; it is a comment if it begins with # or ;.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/experiment/experiment.h"
#include "convert/io/text_file.h"
#include "convert/io/whole_file.h"

#define HEAD     "[experiment]"
#define VARIANTS "[variants]"

/* The text of a line, without blanks around it; "": an empty line, or a comment. */
static char *line_of(char *text)
{
	text = text_trim(text);
	if (*text == '#' || *text == ';')
		*text = 0;
	return text;
}

int experiment_is_file(const char *path)
{
	struct error e;
	FILE *f = text_fopen(path, &e);
	char *text = NULL, *line = NULL;
	size_t cap = 0;
	int is = 0;

	if (!f)
		return 0;
	while (!is && getline(&text, &cap, f) > 0 && !*(line = line_of(text)))
		line = NULL;
	is = line && !strcmp(line, HEAD);
	free(text);
	fclose(f);
	return is;
}

static int pair_read(struct experiment *x, const char *where, char *line, int variants,
		     struct error *e)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return error_set(e, ERROR_USAGE, "%s: '%s' is not KEY = VALUE", where, line);
	*equals = 0;
	line = text_trim(line);
	return variants ? experiment_variant(x, where, line, text_trim(equals + 1), e)
			: experiment_set(x, where, line, text_trim(equals + 1), e);
}

int experiment_read(struct experiment *x, const char *path, struct error *e)
{
	FILE *f = text_fopen(path, e);
	char *text = NULL;
	size_t cap = 0, number = 0;
	int code = 0, variants = 0;

	if (!f)
		return e->code;
	while (code == 0 && getline(&text, &cap, f) > 0) {
		char *line = line_of(text), *where = mem_printf("%s: line %zu", path, ++number);

		if (!strcmp(line, HEAD) || !strcmp(line, VARIANTS))
			variants = !strcmp(line, VARIANTS);
		else if (*line == '[')
			code = error_set(e, ERROR_USAGE, "%s: '%s' is neither %s nor %s", where,
					 line, HEAD, VARIANTS);
		else if (*line)
			code = pair_read(x, where, line, variants, e);
		free(where);
	}
	if (code == 0 && ferror(f))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	free(text);
	fclose(f);
	return code;
}

/* ---- writing ---- */

/* One word of a command as shell_words_split() reads it; braces need no quotes here. */
static void word_put(FILE *f, const char *word)
{
	int plain = *word && !word[strcspn(word, " \t\r\n'\"\\")];

	if (!plain)
		putc('"', f);
	for (; *word; word++) {
		if (!plain && strchr("\"\\$`", *word))
			putc('\\', f);
		putc(*word, f);
	}
	if (!plain)
		putc('"', f);
}

static void value_put(FILE *f, const char *key, const char *value)
{
	if (value)
		fprintf(f, "%s = %s\n", key, value);
}

static void number_put(FILE *f, const char *key, long value)
{
	if (value)
		fprintf(f, "%s = %ld\n", key, value);
}

static void all_put(const struct experiment *x, FILE *f, int id)
{
	fputs(HEAD "\n", f);
	value_put(f, "name", x->name);
	fputs("command =", f);
	for (size_t i = 0; i < experiment_words(x); i++) {
		putc(' ', f);
		word_put(f, x->command.v[i]);
	}
	putc('\n', f);
	for (size_t i = 0; i < x->size_n; i++)
		fprintf(f, "%s%ld%s", i ? "," : "sizes = ", x->size[i],
			i + 1 < x->size_n ? "" : "\n");
	number_put(f, "repeat", x->repeat);
	value_put(f, "until", x->until_text);
	number_put(f, "most", x->until ? x->most : 0);
	value_put(f, "record", x->record);
	value_put(f, "input", x->input);
	value_put(f, "sbatch", x->sbatch);
	value_put(f, "db", x->db);
	value_put(f, "output", x->output);
	if (id)
		value_put(f, "id", x->id);
	if (x->variant_n)
		fputs(VARIANTS "\n", f);
	for (size_t i = 0; i < x->variant_n; i++)
		value_put(f, x->variant[i].name, x->variant[i].value);
}

/* A value of several lines would be read as several values, and blanks around one are lost. */
static int writable(const struct experiment *x, struct error *e)
{
	const char *const value[] = {x->record, x->input, x->sbatch, x->db, x->output};
	int bad = 0;

	for (size_t i = 0; i < sizeof(value) / sizeof(*value); i++)
		bad |= value[i] && strpbrk(value[i], "\r\n");
	for (size_t i = 0; i < x->variant_n; i++)
		bad |= strpbrk(x->variant[i].value, "\r\n") != NULL;
	for (size_t i = 0; i < experiment_words(x); i++)
		bad |= strpbrk(x->command.v[i], "\r\n") != NULL;
	return bad ? error_set(e, ERROR_USAGE,
			       "a value with several lines cannot be written into an experiment "
			       "file; use a script")
		   : 0;
}

int experiment_write(const struct experiment *x, const char *path, int id, struct error *e)
{
	struct whole w;
	int code = writable(x, e);

	if (code == 0)
		code = whole_open(&w, path, e);
	if (code)
		return code;
	all_put(x, w.file, id);
	return whole_close(&w, path, 0, e);
}
