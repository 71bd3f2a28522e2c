/* db_runs.c: expands patterns, and keeps the command line as the origin of trials. */
#include "cmd/db/db_runs.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/mem_stream.h"
#include "cmd/shared/shell_word.h"
#include "cmd/shared/version.h"

static struct {
	char **word; /* of the command line, as they were */
	size_t word_n;
	char *command, *options, *path, host[256];
	struct db_origin origin;
} from;

static int is_operand(const char *word, int n, char **operand)
{
	for (int i = 0; i < n; i++)
		if (operand[i] == word)
			return 1;
	return 0;
}

/* Number of words of "-d FILE" at a word; 0: it is another. The database does not influence what is stored. */
static size_t database_words(const char *word)
{
	if (!strcmp(word, "-d") || !strcmp(word, "--db"))
		return 2;
	return !strncmp(word, "-d", 2) || !strncmp(word, "--db=", 5);
}

/* Words from number first on; n < 0: all, else without operands and database. */
static char *join(size_t first, int n, char **operand)
{
	size_t length;
	char *text;
	FILE *f = mem_stream(&text, &length);
	int any = 0;

	for (size_t i = first; i < from.word_n; i++) {
		size_t skip = n < 0 ? 0 : database_words(from.word[i]);
		char *word;

		if (skip || is_operand(from.word[i], n, operand)) {
			i += skip > 1;
			continue;
		}
		if (any++)
			putc(' ', f);
		word = shell_word(from.word[i]);
		fputs(word, f);
		free(word);
	}
	fclose(f);
	return text;
}

void runs_command(int argc, char **argv)
{
	from.word_n = (size_t)argc;
	from.word = mem_resize(NULL, from.word_n + 1, sizeof(*from.word));
	memcpy(from.word, argv, from.word_n * sizeof(*argv));
}

void runs_operands(int at, int n, char **operand)
{
	free(from.command);
	free(from.options);
	from.command = join(0, -1, NULL);
	from.options = join((size_t)at + 1, n, operand);
}

void runs_begin(const char *run)
{
	free(from.path);
	from.path = realpath(run, NULL);
	if (gethostname(from.host, sizeof(from.host) - 1))
		*from.host = 0;
	from.origin = (struct db_origin){
		.path = from.path,
		.host = *from.host ? from.host : NULL,
		.program = "tau-db " TAU_VERSION,
		.command = from.command,
		.options = from.options,
	};
}

const struct db_origin *runs_origin(void)
{
	return &from.origin;
}

int runs_is_pattern(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

void runs_expand(struct option_list *out, int n, char **word, struct runs_found *found)
{
	for (int i = 0; i < n; i++) {
		glob_t *g;

		if (!runs_is_pattern(word[i]) || !access(word[i], F_OK)) {
			*array_add(out, v) = word[i];
			continue;
		}
		g = mem_alloc(sizeof(*g));
		*array_add(found, v) = g;
		if (glob(word[i], 0, NULL, g))
			*array_add(out, v) = word[i];
		for (size_t k = 0; k < g->gl_pathc; k++)
			*array_add(out, v) = g->gl_pathv[k];
	}
}

void runs_release(struct runs_found *found)
{
	for (size_t i = 0; i < found->v_n; i++) {
		globfree(found->v[i]);
		free(found->v[i]);
	}
	free(found->v);
}
