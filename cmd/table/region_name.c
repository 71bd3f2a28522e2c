/* region_name.c: shortens names of regions and call paths. */
#include "cmd/table/region_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/base/mem_stream.h"
#include "analyze/profile/deep_paths.h"
#include "analyze/trace/timer_name.h"
#include "cmd/table/table_text.h"

#define ARROW " => "
#define FUNCTION_MIN 8 /* characters of a function that identify it beside its construct */

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
	if (!name_location(name, &at) || at.file_n == 0) {
		fputs(name, f);
		return;
	}
	for (base = at.file + at.file_n; base > at.file && base[-1] != '/'; base--)
		;
	fwrite(name, 1, (size_t)(at.begin - name), f);
	if (at.line)
		fprintf(f, "[%.*s:%u]", (int)(at.file + at.file_n - base), base, at.line);
	else
		fprintf(f, "(%.*s)", (int)(at.file + at.file_n - base), base);
}

char *region_names_joined(const struct trace *t, const uint32_t *region, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f;

	if (!n)
		return mem_string(REGION_ROOT);
	f = mem_stream(&text, &size);
	for (size_t i = 0; i < n; i++) {
		if (i == DEEP_PATHS_LEVELS && i + 1 < n) {
			fprintf(f, ARROW "(%zu levels)", n - 1 - i);
			i = n - 1;
		}
		fprintf(f, "%s%s", i ? ARROW : "",
			region[i] < t->region_n ? t->region[region[i]].name : REGION_ROOT);
	}
	fclose(f);
	return text;
}

char *region_name_short(const char *name)
{
	char *copy = mem_string(name), *s = copy, *out = NULL;
	size_t n;
	FILE *f = mem_stream(&out, &n);

	while (s) {
		char *next = strstr(s, ARROW);

		if (next)
			*next = 0;
		add_element(f, s);
		if (next)
			fputs(ARROW, f);
		s = next ? next + strlen(ARROW) : NULL;
	}
	fclose(f);
	free(copy);
	return out;
}

/* The innermost element of a path. */
static char *innermost(char *s)
{
	char *at = s;

	for (char *next = strstr(at, ARROW); next; next = strstr(at, ARROW))
		at = next + strlen(ARROW);
	return at;
}

/* " (app.c)" at the end, and not the arguments of a function: they have no dot and no blank before; NULL: there is none. */
static char *file_of(char *s)
{
	size_t n = strlen(s);
	char *place = n && s[n - 1] == ')' ? strrchr(s, '(') : NULL;

	return place && place - s > 1 && place[-1] == ' ' && strchr(place, '.') &&
			       !strpbrk(place, " ,*&")
		       ? place - 1
		       : NULL;
}

/* " [app.c:13]", " (app.c)" or " at 0x1298 of app" at the end; NULL: there is none. */
static char *place_of(char *s)
{
	static const char at[] = " at 0x";
	size_t n = strlen(s);
	char *place = n && s[n - 1] == ']' ? strrchr(s, '[') : NULL, *code = NULL;

	if (file_of(s))
		return file_of(s);
	if (place)
		return place - s > 1 && place[-1] == ' ' ? place - 1 : NULL;
	for (char *next = strstr(s, at); next; next = strstr(next + 1, at))
		code = next;
	if (!code || code == s)
		return NULL;
	n = strspn(code + sizeof(at) - 1, "0123456789abcdef");
	return n && !strncmp(code + sizeof(at) - 1 + n, " of ", 4) ? code : NULL;
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

/* Is it the begin of arguments of a template, and no operator? */
static int opens_template(const char *s, const char *at)
{
	static const char word[] = "operator";
	const char *from = at;

	while (from > s && strchr("<=>-", from[-1]))
		from--;
	return *at == '<' && at > s && (isalnum((unsigned char)at[-1]) || at[-1] == '_') &&
	       !(from - s >= (long)sizeof(word) - 1 &&
		 !strncmp(from - (sizeof(word) - 1), word, sizeof(word) - 1));
}

/* The '>' that closes the arguments of a template at `at`; NULL: none. "->" and what is in parentheses close none. */
static char *template_end(char *at)
{
	int depth = 0, round = 0;

	for (; *at; at++) {
		round += *at == '(';
		round -= *at == ')';
		depth += !round && *at == '<';
		if (!round && *at == '>' && at[-1] != '-' && !--depth)
			return at;
	}
	return NULL;
}

/* Replaces the arguments of templates by <~>, the first ones first, until the name fits. */
static void drop_templates(const char *s, char *inner, size_t width)
{
	for (char *at = inner; *at && table_text_width(s) > width; at++) {
		char *end = opens_template(inner, at) ? template_end(at) : NULL;

		if (end && end - at > 2) {
			at[1] = '~';
			memmove(at + 2, end, strlen(end) + 1);
		}
	}
}

/* "omp barrier: " at the begin of what has a construct and a function; 0 bytes: it has none. */
static size_t construct_of(const char *inner)
{
	const char *colon = strncmp(inner, "omp ", 4) ? NULL : strstr(inner, ": ");

	return colon ? (size_t)(colon - inner) + 2 : 0;
}

/* Takes characters out of the begin of s, in place, until it is width wide with a mark for them. */
static void cut_begin(char *s, size_t width)
{
	size_t have = table_text_width(s), skip = have - width + 1, at = 0;
	char *from = s;

	if (have <= width)
		return;
	while (*from && at < skip)
		for (from++, at++; (*from & 0xc0) == 0x80; from++)
			;
	*s = '~';
	memmove(s + 1, from, strlen(from) + 1);
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
	char *inner = innermost(s), *place = place_of(inner);
	size_t construct;

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
	drop_templates(s, inner, width);
	construct = construct_of(inner);
	if (!construct || table_text_width(inner) <= width) {
		cut_begin(s, width);
		return;
	}
	memmove(s, inner, strlen(inner) + 1);
	if (construct + FUNCTION_MIN <= width)
		cut_begin(s + construct, width - construct);
	else
		table_elide(s, width);
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
