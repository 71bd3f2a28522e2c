/* trend_order.c: finds labels of runs, and the order that a file gives to them. */
#include "cmd/report/runs/trend_order.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "analyze/profile/profile.h"
#include "convert/io/text_file.h"

#define ABBREVIATED 7 /* characters of an abbreviated commit, at least */

static const char *label_of(const struct profile *p, const char *name)
{
	const char *key = strcasecmp(name, "tags") ? name : "Tags", *text;

	text = profile_meta(p, UINT32_MAX, key);
	for (uint32_t i = 0; !text && i < p->thread_n; i++)
		text = profile_meta(p, i, key);
	return text;
}

int trend_labels(const struct report_options *o, const struct report_runs *r, const char **label,
		 struct error *e)
{
	size_t n = 0;

	for (size_t k = 0; k < r->run_n; k++) {
		label[k] = label_of(r->run[k].profile, o->label);
		n += label[k] != NULL;
	}
	return n ? 0
		 : error_set(e, ERROR_USAGE, "trend: --label: no run has the metadata '%s'",
			     o->label);
}

struct label_lines {
	char **v;
	size_t v_n, v_cap;
};

static int lines_read(struct label_lines *l, const char *path, struct error *e)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (!f)
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	f = text_stream(f);
	while ((n = getline(&line, &size, f)) >= 0) {
		line[strcspn(line, "\r\n")] = 0;
		*array_add(l, v) = mem_string(line);
	}
	free(line);
	if (f != stdin)
		fclose(f);
	return 0;
}

/* Is the line the label, or is one an abbreviation of the other? */
static int is_label(const char *line, const char *label)
{
	size_t n = strlen(line), length = strlen(label), least = n < length ? n : length;

	return !strncmp(line, label, least) && (n == length || least >= ABBREVIATED);
}

static size_t line_of(const struct label_lines *l, const char *label)
{
	for (size_t i = 0; i < l->v_n; i++)
		if (is_label(l->v[i], label))
			return i;
	return SIZE_MAX;
}

int trend_places(const struct report_options *o, const struct report_runs *r,
		 const char *const *label, size_t *place, struct error *e)
{
	struct label_lines l = {0};
	int code = lines_read(&l, o->order, e);

	for (size_t k = 0; !code && k < r->run_n; k++) {
		place[k] = label[k] ? line_of(&l, label[k]) : SIZE_MAX;
		if (!label[k])
			code = error_set(e, ERROR_INPUT, "trend: --order: %s has no '%s'",
					 r->run[k].name, o->label);
		else if (place[k] == SIZE_MAX)
			code = error_set(e, ERROR_INPUT,
					 "trend: --order: no line of %s is '%s', the %s of %s",
					 o->order, label[k], o->label, r->run[k].name);
	}
	for (size_t i = 0; i < l.v_n; i++)
		free(l.v[i]);
	free(l.v);
	return code;
}
