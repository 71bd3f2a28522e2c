/* section.c: reports what tau-record does in place of instructions to TAU's parser of sources, which
 * changes programs before they are compiled. */
#include "cmd/record/options/section.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "cmd/shared/message.h"
#include "convert/code/select.h"
#include "convert/code/source_name.h"

/* Words at the begin of an instruction; word: also one with blanks. routine: only if it has one. */
static const struct section_kind {
	const char *word;
	int routine;
	const char *instead;	/* %s: the name of the routine; NULL: it is done anyway */
} kinds[] = {
	{"static timer", 1, NULL},
	{"dynamic timer", 1,
	 "each call is a window of every trace: tau-trace2profile --window '%s'"},
	{"static phase", 1,
	 "its calls together are a window of every trace: tau-trace2profile --window '%s#*'"},
	{"dynamic phase", 1,
	 "each call is a window of every trace: tau-trace2profile --window '%s'"},
	{"static", 0,
	 "lines of a function are no timer without a change of the source: "
	 "TAU_START and TAU_STOP around them, tau-api(7), or samples, --sample"},
	{"dynamic", 0,
	 "lines of a function are no timer without a change of the source: "
	 "TAU_DYNAMIC_TIMER_START and _STOP around them, tau-api(7)"},
	{"loops", 0,
	 "loops are not found without a change of the source: TAU_START and TAU_STOP "
	 "around them, tau-api(7); samples, --sample, have the lines of loops, and "
	 "tau-trace2profile --window iter the iterations of the outer loop"},
	{"memory", 0, "allocations of all languages are recorded with --memory"},
	{"io", 0, "input and output of all languages are recorded with --wrap io"},
	{"entry", 0, "code of the file is not inserted: change the source"},
	{"exit", 0, "code of the file is not inserted: change the source"},
	{"abort", 0, "code of the file is not inserted: change the source"},
	{"init", 0, "code of the file is not inserted: change the source"},
	{"decl", 0, "code of the file is not inserted: change the source"},
	{"", 0, "this instruction has no effect"},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Does the line begin with the words, with any number of blanks between them? */
static int begins(const char *line, const char *words)
{
	for (; *words; words++) {
		if (*words == ' ') {
			if (!isspace((unsigned char)*line))
				return 0;
			line += strspn(line, " \t");
		} else if (*line++ != *words) {
			return 0;
		}
	}
	return !isalnum((unsigned char)*line);
}

static const struct section_kind *kind_of(const char *line)
{
	const char *routine = strstr(line, "routine");

	for (size_t i = 0; i < KINDS - 1; i++)
		if (begins(line, kinds[i].word) && (routine || !kinds[i].routine))
			return &kinds[i];
	return &kinds[KINDS - 1];
}

/* The name of a region for the routine of an instruction. The caller frees it. */
static char *routine_of(const char *line)
{
	const char *routine = strstr(line, "routine"),
		   *quote = routine ? strchr(routine, '"') : NULL, *bare;
	char *text = quote ? mem_printf("%.*s", (int)strcspn(quote + 1, "\""), quote + 1)
			   : mem_string(""),
	     *name;
	size_t n;

	bare = source_name_bare(text, &n);
	name = memchr(bare, '#', n) || !n ? mem_string("NAME") : mem_printf("%.*s", (int)n, bare);
	if (source_name_is_fortran(text) && strcmp(name, "NAME") != 0) {
		char *lower = mem_printf("%s%s", name, strstr(name, "::") ? "" : "_");

		for (char *c = lower; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		free(name);
		name = lower;
	}
	free(text);
	return name;
}

void section_print(const struct select *s, const char *file)
{
	int printed[KINDS] = {0};

	for (size_t i = 0; i < select_section_n(s); i++) {
		const char *line = select_section(s, i);
		const struct section_kind *kind = kind_of(line);
		char *name;

		if (!kind->instead || printed[kind - kinds]++)
			continue;
		name = routine_of(line);
		text_printf(stderr, "tau-record: %s: %s: ", file, line);
		text_printf(stderr, kind->instead, name);
		text_printf(stderr, "\n");
		free(name);
	}
}
