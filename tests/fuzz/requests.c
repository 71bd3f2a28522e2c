/*
 * requests.c: fuzzes what a page of tau-view may request. The first byte has a bit for each
 * argument that is there; the others are their texts, one on each line. The command line of a
 * request has the request's texts as values of its own options only, and the text of it for a shell
 * means the same words.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/shared/shell_word.h"
#include "cmd/view/view_runs.h"

#define ASKS (sizeof(struct view_ask) / sizeof(char *))

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

static char *const runs[] = {"a run", "-odd", "c"};

/* Every option has one value, up to the dashes that end them; the runs are those of the page. */
static int is_well_formed(const struct view_command *c)
{
	static const char *const options[] = {"-w", "--by", "--rank", "--cells", "--top", "-f"};
	size_t i = 2;

	for (; i < c->v_n && strcmp(c->v[i], "--") != 0; i += 2) {
		size_t k = 0;

		while (k < sizeof(options) / sizeof(*options) && strcmp(options[k], c->v[i]) != 0)
			k++;
		if (k == sizeof(options) / sizeof(*options) || i + 1 >= c->v_n)
			return 0;
	}
	return i < c->v_n && (!strcmp(c->v[c->v_n - 1], "a run") ||
			      !strcmp(c->v[c->v_n - 1], "-odd") || !strcmp(c->v[c->v_n - 1], "c"));
}

static int is_same_text(const struct view_command *c)
{
	char *text = view_command_text(c);
	struct shell_words w = {0};
	struct error e = {0};
	size_t k = 0;
	int same = !shell_words_split(&w, "text", text, &e);

	/* Dashes that nothing requires are not in the text. */
	for (size_t i = 0; i < c->v_n && same; i++) {
		if (!strcmp(c->v[i], "--") && (!w.v[k] || strcmp(w.v[k], "--") != 0))
			continue;
		same = w.v[k] && !strcmp(c->v[i], w.v[k]);
		k++;
	}
	same = same && !w.v[k];
	shell_words_release(&w);
	free(text);
	return same;
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	static const struct view_runs all = {.run = runs, .run_n = 3, .program = "tau-report"};
	const char *value[ASKS] = {0};
	struct view_command c;
	struct view_ask ask;
	struct error e = {0};
	char *text, *at;

	if (n < 2)
		return 0;
	text = at = malloc(n);
	if (!text)
		return 0;
	memcpy(text, p + 2, n - 2);
	text[n - 2] = 0;
	for (size_t i = 0; i < ASKS; i++) {
		char *line = at;

		at += strcspn(at, "\n");
		if (*at)
			*at++ = 0;
		value[i] = (p[0] | p[1] << 8) >> i & 1 ? line : NULL;
	}
	memcpy(&ask, value, sizeof(ask));
	if (view_command_make(&c, &all, &ask, &e)) {
		if (!*e.text)
			abort();
	} else if (!is_well_formed(&c) || !is_same_text(&c)) {
		abort();
	}
	view_command_release(&c);
	free(text);
	return 0;
}
