/* placeholders.c: checks and replaces the placeholders of a command. */
#include "cmd/experiment/placeholders.h"

#include <stdio.h>
#include <string.h>

#include "cmd/experiment/place.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/shell_word.h"

enum { HOLDS_N, HOLDS_VARIANT, HOLDS_REPEAT, HOLDS_RUN, HOLDS_RECORD, HOLDERS };
static const char *const holders[HOLDERS] = {"{n}", "{variant}", "{repeat}", "{run}", "{record}"};

/* The length of the placeholder at s, 0: there is none. */
static size_t holder_at(const char *text, const char *s)
{
	size_t n;

	if (*s != '{' || (s > text && s[-1] == '$'))
		return 0;
	n = strspn(s + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	return n && s[n + 1] == '}' ? n + 2 : 0;
}

/* Notes which placeholders a word has. */
static int word_check(const char *text, int used[HOLDERS], struct error *e)
{
	for (const char *s = text; *s; s++) {
		size_t n = holder_at(text, s), k;
		char *word;
		int code;

		if (s[0] == '{' && s[1] == '{') {
			s++;
			continue;
		}
		if (!n)
			continue;
		word = mem_printf("%.*s", (int)n, s);
		code = choice_get("placeholder", word, holders, HOLDERS, &k, e);
		free(word);
		if (code)
			return code;
		used[k] = 1;
	}
	return 0;
}

int placeholders_check(const struct experiment *x, struct error *e)
{
	int used[HOLDERS] = {0}, in_options[HOLDERS] = {0}, code = 0;

	for (size_t i = 0; i + 1 < x->command.v_n && code == 0; i++)
		code = word_check(x->command.v[i], used, e);
	for (size_t i = 0; i < x->variant_n && code == 0; i++)
		code = word_check(x->variant[i].value, used, e);
	if (code == 0 && x->sbatch)
		code = word_check(x->sbatch, in_options, e);
	if (code)
		return code;
	if (in_options[HOLDS_RECORD] || (in_options[HOLDS_N] && !x->size_n) ||
	    (in_options[HOLDS_VARIANT] && !x->variant_n))
		return error_set(e, ERROR_USAGE, "--sbatch: '%s' has a placeholder without a value",
				 x->sbatch);
	if (used[HOLDS_N] && !x->size_n)
		return error_set(
			e, ERROR_USAGE,
			"the command has {n}, but no sizes are given; add them, such as -n 2,4,8");
	if (x->size_n && !used[HOLDS_N])
		return error_set(
			e, ERROR_USAGE,
			"the command has no {n} for the sizes, as in: mpirun -np {n} ./app");
	if (used[HOLDS_VARIANT] && !x->variant_n)
		return error_set(
			e, ERROR_USAGE,
			"the command has {variant}, but no variants are given; add them, such as "
			"--variant old=./a --variant new=./b");
	if (x->variant_n && !used[HOLDS_VARIANT])
		return error_set(e, ERROR_USAGE,
				 "the command has no {variant} for the variants, as in: mpirun -np "
				 "4 {variant}");
	return place_check(x, used[HOLDS_RECORD], e);
}

const char *placeholders_program(const struct experiment *x)
{
	size_t at = place_program(&x->command, 0);

	return at + 1 < x->command.v_n ? x->command.v[at] : NULL;
}

/* ---- filling ---- */

static void holder_put(FILE *f, const struct run_plan *p, const struct planned_run *r,
		       const char *recorder, const char *s)
{
	const struct experiment_cell *c = &p->cell[r->cell];

	switch (s[1]) {
	case 'n':
		fprintf(f, "%ld", c->size);
		break;
	case 'v':
		fputs(c->variant->value, f);
		break;
	default:
		if (!strncmp(s, "{rep", 4))
			fprintf(f, "%ld", r->repeat);
		else if (!strncmp(s, "{run", 4))
			fputs(r->name, f);
		else
			fputs(recorder, f);
	}
}

static char *word_fill(const struct run_plan *p, const struct planned_run *r, const char *recorder,
		       const char *text)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	for (const char *s = text; *s; s++) {
		size_t n = holder_at(text, s);

		if (n)
			holder_put(f, p, r, recorder, s);
		else
			putc(*s, f);
		s += n ? n - 1 : s[0] == '{' && s[1] == '{';
	}
	fclose(f);
	return out;
}

static void words_fill(const struct run_plan *p, const struct planned_run *r, const char *recorder,
		       const struct shell_words *from, struct shell_words *out)
{
	for (size_t i = 0; i + 1 < from->v_n; i++) {
		char *word = word_fill(p, r, recorder, from->v[i]);

		shell_words_add(out, word);
		free(word);
	}
}

int placeholders_fill(const struct run_plan *p, const struct planned_run *r,
		      const struct shell_words *recorder, struct shell_words *out, struct error *e)
{
	const struct shell_words *command = &p->x->command;
	const struct experiment_variant *v = p->cell[r->cell].variant;
	char *record = recorder ? shell_words_text(recorder) : mem_string("");
	struct shell_words one = {0};
	int code = 0;

	for (size_t i = 0; i + 1 < command->v_n && code == 0; i++) {
		if (v && !strcmp(command->v[i], "{variant}")) {
			code = shell_words_split(&one, "--variant", v->value, e);
		} else if (recorder && !strcmp(command->v[i], "{record}")) {
			for (size_t k = 0; k + 1 < recorder->v_n; k++)
				shell_words_add(&one, recorder->v[k]);
		} else if (strcmp(command->v[i], "{record}") != 0) {
			shell_words_add(&one, command->v[i]);
		}
		words_fill(p, r, record, &one, out);
		shell_words_release(&one);
	}
	free(record);
	return code;
}

char *placeholders_text(const struct run_plan *p, const struct planned_run *r, const char *text)
{
	return word_fill(p, r, "", text);
}
