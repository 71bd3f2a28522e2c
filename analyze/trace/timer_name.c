/* timer_name.c: reads source locations, parameters and contexts out of timer and counter names. */
#include "analyze/trace/timer_name.h"

#include <string.h>

/* Reads a number of at most nine digits; NULL: there is none. */
static const char *read_number(const char *s, uint32_t *out)
{
	int n = 0;

	*out = 0;
	for (; *s >= '0' && *s <= '9' && n < 9; s++, n++)
		*out = *out * 10 + (uint32_t)(*s - '0');
	return n && !(*s >= '0' && *s <= '9') ? s : NULL;
}

/* Reads "{line}" or "{line,column}"; NULL: the text is something else. */
static const char *read_place(const char *s, uint32_t *line, uint32_t *column)
{
	if (*s++ != '{' || !(s = read_number(s, line)))
		return NULL;
	if (*s == ',' && !(s = read_number(s + 1, column)))
		return NULL;
	return *s == '}' ? s + 1 : NULL;
}

static int read_location(const char *s, struct name_location *out)
{
	const char *end = strchr(s + 2, '}');

	if (!end || end == s + 2)
		return 0;
	*out = (struct name_location){
		.begin = s, .file = s + 2, .file_n = (size_t)(end - s - 2)};
	s = end + 1;
	if (*s == ' ') {
		s = read_place(s + 1, &out->line, &out->column);
		if (s && *s == '-')
			s = read_place(s + 1, &out->line_end, &out->column_end);
	}
	return s && *s == ']';
}

static const char opari[] = "[OpenMP location: file:";

/* TAU's form of a location that Opari wrote: "[OpenMP location: file:a.c <12, 34>]". */
static int read_opari(const char *s, struct name_location *out)
{
	const char *file = s + sizeof(opari) - 1, *place = strstr(file, " <");

	if (!place || place == file)
		return 0;
	*out = (struct name_location){.begin = s, .file = file, .file_n = (size_t)(place - file)};
	s = read_number(place + 2, &out->line);
	if (s && *s == ',' && s[1] == ' ')
		s = read_number(s + 2, &out->line_end);
	return s && s[0] == '>' && s[1] == ']';
}

/*
 * Where the source location begins, or NULL: the last "[{" that is followed by a location, because
 * names may contain "[{" too.
 */
static const char *find_location(const char *name, struct name_location *out)
{
	struct name_location l;
	const char *found = NULL;

	for (const char *s = strstr(name, "[{"); s; s = strstr(s + 2, "[{"))
		if (read_location(s, &l)) {
			found = s;
			*out = l;
		}
	for (const char *s = strstr(name, opari); s; s = strstr(s + 1, opari))
		if (s > found && read_opari(s, &l)) {
			found = s;
			*out = l;
		}
	return found;
}

int name_location(const char *name, struct name_location *out)
{
	return find_location(name, out) != NULL;
}

int name_address(const char *name, struct name_address *out)
{
	static const char mark[] = "addr=<", between[] = "> [";
	const char *at = name + strlen(mark), *module;

	if (strncmp(name, mark, strlen(mark)) != 0)
		return 0;
	module = strstr(at, between);
	if (!module)
		return 0;
	*out = (struct name_address){.at = at, .at_n = (size_t)(module - at)};
	out->module = module + strlen(between);
	out->module_n = strcspn(out->module, "]");
	return out->at_n && out->module_n && !strcmp(out->module + out->module_n, "]");
}

size_t name_short(const char *name)
{
	struct name_location l;
	const char *place = find_location(name, &l), *parameters = strstr(name, " [ <");
	size_t n = strlen(name), whole = n;

	if (place)
		n = (size_t)(place - name);
	if (parameters && (size_t)(parameters - name) < n)
		n = (size_t)(parameters - name);
	while (n && name[n - 1] == ' ')
		n--;
	return n ? n : whole;
}

int name_parameter(const char **cursor, struct name_parameter *out)
{
	static const char between[] = "> = <";
	const char *key = strchr(*cursor, '<'), *middle, *end;

	for (; key; key = strchr(key + 1, '<')) {
		if (key == *cursor || key[-1] != ' ')
			continue;
		middle = strstr(key, between);
		end = middle ? strchr(middle + sizeof(between) - 1, '>') : NULL;
		if (!end)
			return 0;
		if (memchr(key + 1, '<', (size_t)(middle - key - 1)))
			continue;
		out->key = key + 1;
		out->key_n = (size_t)(middle - out->key);
		out->value = middle + sizeof(between) - 1;
		out->value_n = (size_t)(end - out->value);
		*cursor = end + 1;
		return 1;
	}
	return 0;
}

int name_context(const char *name,
		 int (*each)(void *arg, const char *name, size_t base_n, const char *context),
		 void *arg)
{
	size_t splits = 0;

	for (size_t i = strlen(name); i > 0 && splits < NAME_SPLITS; i--) {
		int stop;

		if (strncmp(name + i, " : ", 3) != 0)
			continue;
		splits++;
		stop = each(arg, name, i, name + i + 3);
		if (stop)
			return stop;
	}
	return 0;
}
