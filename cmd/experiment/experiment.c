/* experiment.c: sets the parts of an experiment, and checks that they fit together. */
#include "cmd/experiment/experiment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/nearest.h"
#include "analyze/base/quantity.h"
#include "cmd/experiment/placeholders.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/shell_word.h"
#include "convert/io/paths.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"

enum { REPEAT_DEFAULT = 3, REPEAT_UNTIL = 3, MOST_DEFAULT = 30, NAME_MOST = 60 };

size_t experiment_words(const struct experiment *x)
{
	return x->command.v_n ? x->command.v_n - 1 : 0;
}

void experiment_release(struct experiment *x)
{
	for (size_t i = 0; i < x->variant_n; i++) {
		free(x->variant[i].name);
		free(x->variant[i].value);
	}
	shell_words_release(&x->command);
	free(x->variant);
	free(x->size);
	free(x->name);
	free(x->db);
	free(x->output);
	free(x->record);
	free(x->input);
	free(x->sbatch);
	free(x->until_text);
	*x = (struct experiment){0};
}

static void text_set(char **to, const char *value)
{
	free(*to);
	*to = mem_string(value);
}

/* A name becomes a part of names of files. */
static int name_check(const char *what, const char *name, struct error *e)
{
	if (!*name || strlen(name) > NAME_MOST || strchr(".-", *name) ||
	    name[strspn(name, NAME_CHARACTERS)])
		return error_set(
			e, ERROR_USAGE,
			"%s: '%s' is not a name; use letters, digits and . _ + -, at most %d", what,
			name, NAME_MOST);
	return 0;
}

static int number_read(const char *what, const char *text, size_t n, long most, long *out,
		       struct error *e)
{
	char word[24], *end;

	snprintf(word, sizeof(word), "%.*s", (int)(n < 20 ? n : 20), text);
	errno = 0;
	*out = strtol(word, &end, 10);
	if (*word < '0' || *word > '9' || errno || *end || n >= 20 || *out < 1 || *out > most)
		return error_set(e, ERROR_USAGE, "%s: '%.*s' is not a whole number from 1 to %ld",
				 what, (int)n, text, most);
	return 0;
}

static int sizes_set(struct experiment *x, const char *what, const char *value, struct error *e)
{
	const char *s = value;
	int code = 0;

	x->size_n = 0;
	for (int more = 1; more && code == 0;) {
		size_t n = strcspn(s, ",");
		const char *word = s + strspn(s, " \t");
		long size;

		more = s[n] == ',';
		while (n && s + n > word && strchr(" \t", s[n - 1]))
			n--;
		code = number_read(what, word, (size_t)(s + n - word), 1000000000, &size, e);
		for (size_t i = 0; i < x->size_n && code == 0; i++)
			if (x->size[i] == size)
				code = error_set(e, ERROR_USAGE,
						 "%s: %ld is given twice; --repeat runs each size "
						 "several times",
						 what, size);
		if (code == 0 && x->size_n == EXPERIMENT_SIZES)
			code = error_set(e, ERROR_USAGE, "%s: more than %d sizes", what,
					 EXPERIMENT_SIZES);
		if (code == 0)
			*array_add(x, size) = size;
		s += strcspn(s, ",") + (size_t)more;
	}
	return code;
}

static int until_set(struct experiment *x, const char *what, const char *value, struct error *e)
{
	struct quantity_option until = {what, QUANTITY_PERCENT, "", "0.01", "100", "2%"};

	text_set(&x->until_text, value);
	return quantity_option(&until, value, &x->until, e);
}

enum key {
	KEY_NAME,
	KEY_COMMAND,
	KEY_SIZES,
	KEY_REPEAT,
	KEY_UNTIL,
	KEY_MOST,
	KEY_RECORD,
	KEY_DB,
	KEY_OUTPUT,
	KEY_INPUT,
	KEY_SBATCH,
	KEY_ID,
	KEYS
};
static const char *const keys[KEYS] = {"name",   "command", "sizes",  "repeat", "until",  "most",
				       "record", "db",      "output", "input",  "sbatch", "id"};

int experiment_set(struct experiment *x, const char *what, const char *key, const char *value,
		   struct error *e)
{
	size_t k;
	int code = choice_get(what, key, keys, KEYS, &k, e);

	if (code)
		return code;
	switch ((enum key)k) {
	case KEY_NAME:
		text_set(&x->name, value);
		return name_check(what, value, e);
	case KEY_COMMAND:
		shell_words_release(&x->command);
		return shell_words_split(&x->command, what, value, e);
	case KEY_SIZES:
		return sizes_set(x, what, value, e);
	case KEY_REPEAT:
		return number_read(what, value, strlen(value), EXPERIMENT_REPEATS, &x->repeat, e);
	case KEY_UNTIL:
		return until_set(x, what, value, e);
	case KEY_MOST:
		return number_read(what, value, strlen(value), EXPERIMENT_REPEATS, &x->most, e);
	case KEY_RECORD:
		text_set(&x->record, value);
		break;
	case KEY_DB:
		text_set(&x->db, value);
		break;
	case KEY_OUTPUT:
		text_set(&x->output, value);
		break;
	case KEY_INPUT:
		text_set(&x->input, value);
		break;
	case KEY_SBATCH:
		text_set(&x->sbatch, value);
		break;
	case KEY_ID:
		if (strlen(value) != EXPERIMENT_ID - 1 || value[strspn(value, "0123456789abcdef")])
			return error_set(e, ERROR_USAGE, "%s: '%s' is not 16 hexadecimal digits",
					 what, value);
		strcpy(x->id, value);
		break;
	case KEYS:
		break;
	}
	return 0;
}

int experiment_variant(struct experiment *x, const char *what, const char *name, const char *value,
		       struct error *e)
{
	struct experiment_variant *v = NULL;

	if (name_check(what, name, e))
		return e->code;
	if (!*value)
		return error_set(e, ERROR_USAGE, "%s: variant '%s' has no value; write NAME=VALUE",
				 what, name);
	for (size_t i = 0; i < x->variant_n; i++)
		if (!strcmp(x->variant[i].name, name))
			v = &x->variant[i];
	if (!v) {
		v = array_add(x, variant);
		v->name = mem_string(name);
	}
	text_set(&v->value, value);
	return 0;
}

/* The name of the program: what follows the last slash of the first word of the last part that is a
 * program's, as a name. */
static char *name_of_program(const struct experiment *x)
{
	struct shell_words words = {0};
	const char *program = placeholders_program(x), *file = "";
	struct error none = {0};
	char *name;

	if (program && !strcmp(program, "{variant}") && x->variant_n &&
	    !shell_words_split(&words, "", x->variant[0].value, &none) && words.v_n)
		program = words.v[0];
	if (program)
		file = path_file(program); /* "" of a folder, "bin/" */
	name = mem_printf("%.*s", NAME_MOST, *file ? file : "runs");
	for (char *s = name; *s; s++)
		if (!strchr(NAME_CHARACTERS, *s) || (s == name && strchr(".-", *s)))
			*s = '_';
	shell_words_release(&words);
	return name;
}

static int repeats_check(struct experiment *x, struct error *e)
{
	if (x->most && !x->until)
		return error_set(e, ERROR_USAGE,
				 "--most limits --until, which is not given; --repeat is the "
				 "number of runs");
	if (!x->repeat)
		x->repeat = x->until ? REPEAT_UNTIL : REPEAT_DEFAULT;
	if (x->until && x->repeat < 2)
		return error_set(e, ERROR_USAGE,
				 "--until needs --repeat 2 or more: one run has no interval");
	if (x->until && !x->most)
		x->most = x->repeat > MOST_DEFAULT ? x->repeat : MOST_DEFAULT;
	if (x->until && x->most < x->repeat)
		return error_set(e, ERROR_USAGE, "--most %ld is less than --repeat %ld", x->most,
				 x->repeat);
	return 0;
}

int experiment_complete(struct experiment *x, struct error *e)
{
	const char *db = getenv("TAUDB");

	if (!experiment_words(x))
		return error_set(
			e, ERROR_USAGE,
			"name a command, such as: tau-experiment -n 2,4,8 -- mpirun -np {n} ./app");
	if (placeholders_check(x, e) || repeats_check(x, e))
		return e->code;
	if (x->input && access(x->input, R_OK))
		return error_set(e, ERROR_USAGE, "--input: %s: %s", x->input, strerror(errno));
	if (!x->name)
		x->name = name_of_program(x);
	if (!x->output)
		x->output = mem_printf("tau-experiment-%s", x->name);
	if (!*x->output)
		return error_set(e, ERROR_USAGE, "--output: the name of the directory is empty");
	if (!x->db)
		x->db = mem_string(db && *db ? db : "tau.db");
	return 0;
}
