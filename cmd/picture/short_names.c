/* short_names.c: owners and call sites in little room, for pictures. */
#include "cmd/picture/short_names.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/profile/memory_object.h"

/* After the last slash before `end`. */
static const char *base_name(const char *from, const char *end)
{
	const char *base = from;

	for (; from < end; from++)
		if (*from == '/')
			base = from + 1;
	return base;
}

/* The bracket that ends the site and holds where it is; C++ has brackets in its names, too. */
static const char *bracket_of(const char *site)
{
	const char *found = NULL;
	size_t n = strlen(site);

	if (!n || site[n - 1] != ']')
		return NULL;
	for (const char *s = strstr(site, " ["); s; s = strstr(s + 1, " ["))
		found = s;
	return found;
}

/* The "} {" between file and line of "main [{src/app.c} {17}]", NULL: it is no such site. */
static const char *line_of(const char *site, const char *bracket)
{
	const char *line = bracket && bracket[2] == '{' ? strstr(bracket, "} {") : NULL;

	return line && strlen(line) > 5 && site[strlen(site) - 2] == '}' ? line : NULL;
}

char *place_short(const char *site)
{
	const char *bracket = bracket_of(site), *line = line_of(site, bracket), *base;
	size_t n = strlen(site);

	if (!bracket)
		return mem_string(site);
	base = base_name(line ? bracket + 3 : bracket + 2, line ? line : site + n - 1);
	if (!line)
		return mem_printf("%.*s [%s", (int)(bracket - site), site, base);
	return mem_printf("%.*s [%.*s:%.*s]", (int)(bracket - site), site, (int)(line - base), base,
			  (int)strlen(line) - 5, line + 3);
}

char *place_code(const char *site)
{
	const char *bracket = bracket_of(site), *line = line_of(site, bracket);

	return line ? mem_printf("%.*s [%.*s]", (int)(bracket - site), site,
				 (int)(line - (bracket + 3)), bracket + 3)
		    : mem_string(site);
}

char *place_function(const char *site)
{
	const char *bracket = bracket_of(site);

	return bracket ? mem_printf("%.*s", (int)(bracket - site), site) : mem_string(site);
}

char *place_words(const char *owner, const char *site, int whole)
{
	char *at = site ? whole ? mem_string(site) : place_short(site) : NULL;
	char *s = mem_printf("%s%s%s%s", owner ? "owned by " : "", owner ? owner : "",
			     at ? (owner ? ", at " : "at ") : "", at ? at : "");

	free(at);
	return s;
}

char *place_line(const char *type, const char *parent, const char *site)
{
	char *function = site ? place_function(site) : NULL;
	char *s = memory_text(type, parent, function);

	free(function);
	return s;
}
