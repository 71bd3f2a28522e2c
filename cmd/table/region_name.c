/* region_name.c: shortens names of regions and call paths. */
#include "cmd/table/region_name.h"

#include <stdio.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/trace/timer_name.h"
#include "cmd/table/table_text.h"

#define ARROW " => "

/* Appends one element of a path. */
static void add_element(FILE *f, const char *name)
{
	struct name_location at;
	struct name_address code;
	const char *base;

	if (name_address(name, &code)) {
		fprintf(f, "%.*s+%.*s", (int)code.module_n, code.module, (int)code.at_n, code.at);
		return;
	}
	if (!name_location(name, &at) || !at.line) {
		fputs(name, f);
		return;
	}
	for (base = at.file + at.file_n; base > at.file && base[-1] != '/'; base--)
		;
	fwrite(name, 1, (size_t)(at.begin - name), f);
	fprintf(f, "[%.*s:%u]", (int)(at.file + at.file_n - base), base, at.line);
}

char *region_name_short(const char *name)
{
	char *copy = mem_string(name), *s = copy, *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	while (f && s) {
		char *next = strstr(s, ARROW);

		if (next)
			*next = 0;
		add_element(f, s);
		if (next)
			fputs(ARROW, f);
		s = next ? next + strlen(ARROW) : NULL;
	}
	if (f)
		fclose(f);
	free(copy);
	return out ? out : mem_string(name);
}

/* The innermost element of a path. */
static char *innermost(char *s)
{
	char *at = s;

	for (char *next = strstr(at, ARROW); next; next = strstr(at, ARROW))
		at = next + strlen(ARROW);
	return at;
}

/* " [app.c:13]" at the end; NULL: there is none. */
static char *place_of(char *s)
{
	size_t n = strlen(s);
	char *place = n && s[n - 1] == ']' ? strrchr(s, '[') : NULL;

	return place && place - s > 1 && place[-1] == ' ' ? place - 1 : NULL;
}

/* Replaces the last list of arguments before `end` by (~). */
static void drop_arguments(char *s, const char *end)
{
	const char *close = end;
	int depth = 1;
	char *open;

	while (close > s && close[-1] != ')')
		close--;
	if (close == s)
		return;
	for (open = (char *)close - 2; open >= s; open--) {
		depth += *open == ')';
		depth -= *open == '(';
		if (!depth)
			break;
	}
	/* After a blank, it is part of the name: "parallelfor (loop body)". */
	if (open <= s || close - open <= 3 || open[-1] == ' ')
		return;
	open[1] = '~';
	memmove(open + 2, close - 1, strlen(close - 1) + 1);
}

/* "UNRESOLVED /lib/libc.so.6", code that is known by its module only, without folders; too wide still: the module alone. */
static void drop_folders(const char *s, char *inner, size_t width)
{
	static const char nameless[] = "UNRESOLVED ";
	char *module = inner + strlen(nameless), *base = strrchr(inner, '/');

	if (strncmp(inner, nameless, strlen(nameless)) || *module != '/' || !base[1])
		return;
	memmove(module, base + 1, strlen(base + 1) + 1);
	if (table_text_width(s) > width)
		memmove(inner, module, strlen(module) + 1);
}

/* Without the " [clone .part.0]" at its end. */
static void drop_clone(const char *s, char *inner, size_t width)
{
	char *place = place_of(inner);

	if (place && table_text_width(s) > width && !strncmp(place, " [clone ", 8))
		*place = 0;
}

/* Callers without their " [app.c:13]", the outermost first, until the path fits. Returns the innermost element. */
static char *drop_caller_places(char *s, size_t width)
{
	for (char *at = s, *next; (next = strstr(at, ARROW)) && table_text_width(s) > width;) {
		char *place;

		*next = 0;
		place = place_of(at);
		*next = *ARROW;
		if (place) {
			memmove(place, next, strlen(next) + 1);
			next = place;
		}
		at = next + strlen(ARROW);
	}
	return innermost(s);
}

void region_name_fit(char *s, size_t width)
{
	char *inner = innermost(s), *place = place_of(inner), *from = s;
	size_t have, skip, at = 0;

	if (table_text_width(s) <= width)
		return;
	drop_folders(s, inner, width);
	drop_arguments(inner, place ? place : inner + strlen(inner));
	place = place_of(inner);
	if (place && table_text_width(inner) > width)
		*place = 0;
	inner = drop_caller_places(s, width);
	place = place_of(inner);
	if (inner > s && place && table_text_width(s) > width)
		*place = 0;
	drop_clone(s, inner, width);
	have = table_text_width(s);
	if (have <= width)
		return;
	/* One character for the mark. */
	skip = have - width + 1;
	while (*from && at < skip)
		for (from++, at++; (*from & 0xc0) == 0x80; from++)
			;
	*s = '~';
	memmove(s + 1, from, strlen(from) + 1);
}

char *region_word(const struct region_list *list, size_t i)
{
	const char *name = list->name(list->of, i);
	size_t n = strcspn(name, "([<"), begin = n; /* n is 0: no word before the brackets */
	struct regions found = {0};
	struct error none = {0};
	char *bare;

	while (n && name[n - 1] == ' ')
		begin = --n;
	while (begin && name[begin - 1] != ' ')
		begin--;
	bare = mem_printf("%.*s", (int)(n - begin), name + begin);
	if (!*bare || region_find_in(list, bare, &found, "", &none) != 1 ||
	    strcmp(list->name(list->of, found.v[0]), name) != 0 ||
	    strcmp(list->name(list->of, found.v[found.v_n - 1]), name) != 0) {
		free(bare);
		bare = mem_string(name);
	}
	free(found.v);
	return bare;
}
