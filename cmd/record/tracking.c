/* tracking.c: turns the words of --memory into the variables that the wrapper of memory reads. */
#include "cmd/record/tracking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A word, and what it sets; the last word about a variable holds. */
static const struct word {
	const char *name, *variable, *value;
} words[] = {
	{"events", "TAU_MEMORY_CENSUS", "0"}, {"census", "TAU_MEMORY_CENSUS", "1"},
	{"sites", "TAU_MEMORY_SITES", "1"},   {"types", "TAU_MEMORY_SITES", "0"},
	{"leaks", "TAU_TRACK_MEMORY_LEAKS", "1"}, {"heap", "TAU_TRACK_HEAP", "1"},
	{"headroom", "TAU_TRACK_HEADROOM", "1"}, {"maps", "TAU_MEMORY_MAPS", "1"},
};
#define WORDS (sizeof(words) / sizeof(*words))

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

static int word_set(const char *text, size_t n, struct error *e)
{
	if (n >= 6 && !strncmp(text, "stacks", 6) && (n == 6 || text[6] == ':'))
		return stacks_set(text, n, e);
	for (size_t i = 0; i < WORDS; i++) {
		if (strlen(words[i].name) != n || strncmp(words[i].name, text, n))
			continue;
		setenv(words[i].variable, words[i].value, 1);
		return 0;
	}
	return error_set(e, ERROR_USAGE,
			 "--memory: '%.*s' is not events, census, sites, types, stacks, leaks, "
			 "heap, headroom or maps",
			 (int)n, text);
}

static int switched_on(const char *name)
{
	const char *v = getenv(name);

	return v && *v && strcmp(v, "0") && strcasecmp(v, "no") && strcasecmp(v, "off") &&
	       strcasecmp(v, "false");
}

int tracking_set(const struct tracking *t, int *wanted, struct error *e)
{
	const char *memory = t->memory;
	int leaks = switched_on("TAU_TRACK_MEMORY_LEAKS"),
	    heap = t->every || switched_on("TAU_TRACK_HEAP") ||
		   (t->metrics && strstr(t->metrics, "HEAP_MEMORY"));

	*wanted = memory || leaks || heap;
	/* The heap alone needs no record of each block. */
	if (heap && !memory && !leaks)
		setenv("TAU_MEMORY_CENSUS", "1", 0);
	/* What is counted from the first block on. */
	if (heap)
		setenv("TAU_RECORD_HEAP", "1", 1);
	if (!memory)
		return 0;
	setenv("TAU_MEMORY_SITES", "1", 1);
	while (*memory) {
		size_t n = strcspn(memory, ",");

		if (n && word_set(memory, n, e) < 0)
			return e->code;
		memory += n + (memory[n] == ',');
	}
	return 0;
}
