/* option_use.c: refuses options that have no effect for the selected kind, format or input. */
#include "cmd/shared/option_use.h"

#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"

int option_is_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		if (length == n && !strncmp(at, word, n))
			return 1;
		at += length;
	}
	return 0;
}

/* "a, b and c" */
static char *in_words(const char *list)
{
	char *words = NULL;
	size_t n;
	FILE *f = mem_stream(&words, &n);

	for (const char *at = list; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		int last = !at[length], only = at == list;

		fprintf(f, "%s%.*s", only ? "" : last ? " and " : ", ", (int)length, at);
		at += length;
	}
	fclose(f);
	return words;
}

int option_present(const struct option_list *given, const char *option)
{
	for (size_t i = 0; i < given->v_n; i++)
		if (!strcmp(given->v[i], option))
			return 1;
	return 0;
}

int option_use_check(const struct option_list *given, const struct option_use *use,
		     const char *kind, struct error *e)
{
	for (size_t i = 0; i < given->v_n; i++)
		for (const struct option_use *u = use; u->option; u++) {
			char *words;

			if (strcmp(u->option, given->v[i]) != 0 || option_is_word(u->kinds, kind))
				continue;
			words = in_words(u->kinds);
			error_set(e, ERROR_USAGE, "%s: --%s is for %s", kind, u->option, words);
			free(words);
			return e->code;
		}
	return 0;
}

int option_pairs_check(const struct option_list *given, const struct option_pair *pairs,
		       struct error *e)
{
	for (const struct option_pair *p = pairs; p->one; p++)
		if (option_present(given, p->one) && option_present(given, p->other))
			return error_set(e, ERROR_USAGE, "--%s and --%s exclude each other", p->one,
					 p->other);
	return 0;
}
