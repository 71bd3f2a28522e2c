/* run_reason.c: finds the line of a log that shows best why a run failed.
 *
 * Open MPI prints a message between two lines of dashes, and begins other lines with "[host:pid] ". */
#include "cmd/experiment/run_reason.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/io/text_file.h"

#define OWN "tau-record: "

enum { RULE = 60, LINE_MOST = 300, SENTENCE_LINES = 3 };

struct reading {
	char *failure; /* the last line of the program with a word of failure */
	char *program, *launcher, *own;
	int framed;	 /* between two lines of dashes */
	size_t sentence; /* lines of the frame's first paragraph so far; 0: none has begun */
	int complete;	 /* the paragraph has ended */
};

static void set(char **to, const char *line)
{
	free(*to);
	*to = mem_printf("%.*s", LINE_MOST, line);
}

static int is_rule(const char *line)
{
	size_t n = strspn(line, "-");

	return n >= RULE && !line[n];
}

static int has_word(const char *line)
{
	while (*line && !isalnum((unsigned char)*line))
		line++;
	return *line != 0;
}

/* "[host:pid] text", or with numbers of a job and a rank. Returns the text, otherwise NULL. */
static const char *launcher_text(const char *line)
{
	const char *end = *line == '[' ? strstr(line, "] ") : NULL, *colon = strchr(line, ':');

	return end && colon && colon < end && isdigit((unsigned char)end[-1]) ? end + 2 : NULL;
}

/* Does a line of a program report a failure? "0 errors" does not. */
static int is_failure(const char *line)
{
	static const char *const word[] = {
		"error",	"fail",	    "fatal",  "abort",	"exception", "cannot",
		"can't",	"could not", "unable", "invalid", "no such",   "not found",
		"denied",	"refused",   "killed", "segmentation",	     "out of memory",
		"overflow",	"unrecognized", "unknown option"};

	for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++) {
		const char *at = strcasestr(line, word[i]);
		const size_t n = at ? (size_t)(at - line) : 0;

		if (at && !(n >= 2 && !strncmp(at - 2, "0 ", 2)) &&
		    !(n >= 3 && !strncasecmp(at - 3, "no ", 3)))
			return 1;
	}
	return 0;
}

/* A line of a launcher's message: its first paragraph is wrapped over some lines. */
static void frame_line(struct reading *r, const char *line)
{
	char *joined;

	if (!*line) {
		r->complete = r->sentence > 0;
		return;
	}
	if (r->complete || !has_word(line))
		return;
	joined = r->sentence ? mem_join(r->launcher, " ", line, NULL) : mem_string(line);
	set(&r->launcher, joined);
	free(joined);
	r->complete = ++r->sentence == SENTENCE_LINES;
}

static void line_read(struct reading *r, const char *line)
{
	const char *text;

	if (is_rule(line)) {
		r->framed = !r->framed;
		r->sentence = 0;
		r->complete = 0;
	} else if (r->framed) {
		frame_line(r, line);
	} else if (!has_word(line)) {
		return;
	} else if (!strncmp(line, OWN, strlen(OWN))) {
		set(&r->own, line);
	} else if (!(text = launcher_text(line))) {
		set(&r->program, line);
		if (is_failure(line))
			set(&r->failure, line);
	} else if (!r->launcher) {
		set(&r->launcher, text);
	}
}

char *run_reason(const char *log)
{
	struct error none = {0};
	struct reading r = {0};
	FILE *f = text_fopen(log, &none);
	char *text = NULL, *found;
	size_t cap = 0;
	int first = 1;

	for (; f && getline(&text, &cap, f) > 0; first = 0)
		if (!first) /* the command */
			line_read(&r, text_trim(text));
	if (f)
		fclose(f);
	free(text);
	found = mem_string(r.failure    ? r.failure
			   : r.program  ? r.program
			   : r.launcher ? r.launcher
			   : r.own      ? r.own
					: "");
	for (size_t n = strlen(found); n && found[n - 1] == ':'; n--)
		found[n - 1] = 0;
	free(r.failure);
	free(r.program);
	free(r.launcher);
	free(r.own);
	if (*found)
		return found;
	free(found);
	return NULL;
}
