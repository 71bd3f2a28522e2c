/* tracking.c: turns the words of --memory into the variables that the wrapper of memory reads. */
#include "cmd/record/options/tracking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/shared/choice.h"
#include "cmd/shared/tau_variables.h"

/* The words in the order of the help, and what each sets; "stacks" may be followed by a number, which it sets. */
enum { EVENTS, CENSUS, TYPES, SITES, STACKS, LEAKS, HEAP, HEADROOM, MAPS, WORDS };
static const char *const names[WORDS] = {"events", "census", "types",	 "sites", "stacks",
					 "leaks",  "heap",   "headroom", "maps"};
static const struct {
	const char *variable, *value;
} sets[WORDS] = {
	[EVENTS] = {"TAU_MEMORY_CENSUS", "0"},	     [CENSUS] = {"TAU_MEMORY_CENSUS", "1"},
	[TYPES] = {"TAU_MEMORY_SITES", "0"},	     [SITES] = {"TAU_MEMORY_SITES", "1"},
	[LEAKS] = {"TAU_TRACK_MEMORY_LEAKS", "1"},   [HEAP] = {"TAU_TRACK_HEAP", "1"},
	[HEADROOM] = {"TAU_TRACK_HEADROOM", "1"},    [MAPS] = {"TAU_MEMORY_MAPS", "1"},
};

/* Of two words that contradict each other one would mean nothing. */
static const unsigned char pairs[][2] = {
	{EVENTS, CENSUS}, {TYPES, SITES}, {TYPES, STACKS}, {TYPES, LEAKS}};

#define STACKS_USUAL "32"
#define STACKS_MOST 127

/* "stacks" or "stacks:N". */
static int stacks_set(const char *text, size_t n, struct error *e)
{
	char *end, number[16] = STACKS_USUAL;
	long calls;

	if (n > 6)
		snprintf(number, sizeof(number), "%.*s", (int)(n - 7), text + 7);
	calls = strtol(number, &end, 10);
	if (*end || end == number || calls < 1 || calls > STACKS_MOST)
		return error_set(e, ERROR_USAGE, "--memory: stacks:%s is not a number of calls "
						 "from 1 to %d",
				 number, STACKS_MOST);
	setenv("TAU_MEMORY_STACKS", number, 1);
	return 0;
}

/* *word: its number. */
static int word_set(const char *text, size_t n, size_t *word, struct error *e)
{
	char *copy = mem_printf("%.*s", (int)n, text);
	int code = 0;

	*word = STACKS;
	if (!strncmp(copy, "stacks:", 7))
		code = stacks_set(copy, n, e);
	else
		code = choice_get("--memory", copy, names, WORDS, word, e);
	if (!code && *word == STACKS && n == 6)
		code = stacks_set(copy, n, e);
	else if (!code && *word != STACKS)
		setenv(sets[*word].variable, sets[*word].value, 1);
	free(copy);
	return code;
}

static int words_set(const char *text, struct error *e)
{
	unsigned char given[WORDS] = {0};
	size_t word;

	while (*text) {
		size_t n = strcspn(text, ",");

		if (n && word_set(text, n, &word, e) < 0)
			return e->code;
		if (n)
			given[word] = 1;
		text += n + (text[n] == ',');
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (given[pairs[i][0]] && given[pairs[i][1]])
			return error_set(e, ERROR_USAGE, "--memory: %s and %s exclude each other",
					 names[pairs[i][0]], names[pairs[i][1]]);
	return 0;
}

int tracking_set(const struct tracking *t, int *use, struct error *e)
{
	const char *memory = t->memory;
	int leaks = choice_on(tau_variable("TAU_TRACK_MEMORY_LEAKS")),
	    heap = t->every || choice_on(tau_variable("TAU_TRACK_HEAP")) ||
		   (t->metrics && strstr(t->metrics, "HEAP_MEMORY"));

	*use = memory || leaks || heap;
	/* The heap alone needs no record of each block. */
	if (heap && !memory && !leaks)
		setenv("TAU_MEMORY_CENSUS", "1", 0);
	/* What is counted from the first block on. */
	if (heap)
		setenv("TAU_RECORD_HEAP", "1", 1);
	if (!memory)
		return 0;
	setenv("TAU_MEMORY_SITES", "1", 1);
	return words_set(memory, e);
}
