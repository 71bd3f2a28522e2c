/* tau_edf.c: the definitions of TAU's own traces: one line an id, `ID GROUP TAG "NAME TYPE"
 * PARAMETER`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/io/text_file.h"
#include "convert/tau/tau_trace.h"

#define LINE_LIMIT 65536 /* a name of more than that is damage */

int edf_is(const char *path)
{
	FILE *f = text_fopen(path, NULL);
	char line[64];
	int n = 0, at = 0, is;

	if (!f)
		return 0;
	is = fgets(line, sizeof(line), f) &&
	     sscanf(line, "%d dynamic_trace_events%n", &n, &at) == 1 && at > 0;
	fclose(f);
	return is;
}

static void set(struct edf *d, uint32_t id, enum edf_kind kind, uint32_t ref)
{
	map_set(&d->at, id, (uint32_t)d->entry_n);
	*array_add(d, entry) = (struct edf_entry){kind, ref, 0, 0};
}

static uint32_t region_add(struct trace *t, struct trc_names *names, const char *name,
			   const char *groups)
{
	uint32_t id = names_add(&names->region, name, strlen(name));

	if (id == t->region_n) {
		struct trace_region *r = array_add(t, region);

		r->name = mem_string(name);
		r->groups = mem_string(*groups ? groups : "TAU_USER");
	}
	return id;
}

static uint32_t event_add(struct trace *t, struct trc_names *names, const char *name,
			  uint32_t flags)
{
	char *key = mem_printf("%u %s", flags, name);
	uint32_t id = names_add(&names->event, key, strlen(key));

	free(key);
	if (id == t->event_n) {
		struct trace_event *v = array_add(t, event);

		v->name = mem_string(name);
		v->flags = flags;
	}
	return id;
}

static void cut_blanks(char *s)
{
	size_t n = strlen(s);

	while (n && s[n - 1] == ' ')
		s[--n] = 0;
}

/* Takes one line apart; the group may be empty, the name may hold anything but a line break. 0: not
 * a definition. */
static int parse(char *line, struct edf_line *out)
{
	char *at, *group, *name, *end;
	unsigned long id = strtoul(line, &at, 10);

	if (at == line || *at != ' ' || id > UINT32_MAX - 1)
		return 0;
	group = ++at;
	name = strchr(at, '"');
	end = strrchr(at, '"');
	if (!name || end == name)
		return 0;
	*name = 0;
	/* Group and tag: the tag is the last word before the name. */
	cut_blanks(group);
	at = strrchr(group, ' ');
	at = at ? at + 1 : group;
	out->tag = strtol(at, NULL, 10);
	if (at > group)
		at[-1] = 0;
	else
		group = at + strlen(at);
	*end++ = 0;
	out->id = (uint32_t)id;
	out->group = group;
	out->name = name + 1;
	out->parameter = end + strspn(end, " ");
	return 1;
}

int edf_next(struct edf_lines *s, FILE *f, struct edf_line *out)
{
	ssize_t n;
	int ends;

	while ((n = getline(&s->line, &s->cap, f)) > 0) {
		if (s->line[0] == '#' || s->line[0] == '\n' || n > LINE_LIMIT ||
		    (size_t)n != strlen(s->line)) {
			s->bad += s->line[0] != '#' && s->line[0] != '\n';
			continue;
		}
		/* A line without its end is cut, maybe in the last word, which is its kind. */
		ends = s->line[n - 1] == '\n';
		s->line[strcspn(s->line, "\r\n")] = 0;
		if (ends && parse(s->line, out))
			return 1;
		s->bad++;
	}
	free(s->line);
	s->line = NULL;
	return 0;
}

int64_t edf_init_id(const char *path)
{
	FILE *f = text_fopen(path, NULL);
	struct edf_line l;
	char *line = NULL;
	size_t cap = 0;
	int64_t id = -1;

	while (f && id < 0 && getline(&line, &cap, f) > 0) {
		if (line[0] == '#' || !parse(line, &l))
			continue;
		cut_blanks(l.name);
		if (!strcmp(l.name, "EV_INIT"))
			id = l.id;
	}
	free(line);
	if (f)
		fclose(f);
	return id;
}

static void clean(struct trace *t, char *s)
{
	cut_blanks(s);
	trace_text(t, s, strlen(s));
}

static int is_meta(const char *name)
{
	const char *sign = strstr(name, EDF_META_SIGN);

	return sign && sign > name;
}

static void define_event(struct edf *d, struct trace *t, struct trc_names *names,
			 const struct edf_line *l)
{
	if (l->tag == 1)
		set(d, l->id, EDF_GROWS, event_add(t, names, l->name, EVENT_FLAG_MONOTONIC));
	else if (is_meta(l->name))
		set(d, l->id, EDF_META, names_add(&names->meta, l->name, strlen(l->name)));
	else
		set(d, l->id, EDF_VALUE, event_add(t, names, l->name, 0));
}

static void define(struct edf *d, struct trace *t, struct trc_names *names,
		   const struct edf_line *l)
{
	const char *name = l->name, *parameter = l->parameter;
	uint32_t id = l->id;
	long tag = l->tag;

	clean(t, l->group);
	clean(t, l->name);
	if (id == TAU_EV_SEND || tag == -7)
		set(d, id, EDF_SEND, 0);
	else if (id == TAU_EV_RECV || tag == -8)
		set(d, id, EDF_RECV, 0);
	else if (!strncmp(parameter, "EntryExit", 9) && !strcmp(name, ".TAU application"))
		set(d, id, EDF_ROOT, 0);
	else if (!strncmp(parameter, "EntryExit", 9))
		set(d, id, EDF_REGION, region_add(t, names, name, l->group));
	else if (!strncmp(parameter, "TriggerValue", 12) && id && id < TAU_EV_INIT)
		define_event(d, t, names, l);
	else
		set(d, id, EDF_OTHER, 0);
}

static void read_lines(struct edf *d, struct trace *t, struct trc_names *names, FILE *f)
{
	struct edf_lines s = {0};
	unsigned long want = 0, got = 0;
	struct edf_line l;

	if (getline(&s.line, &s.cap, f) > 0)
		want = strtoul(s.line, NULL, 10);
	for (; edf_next(&s, f, &l); got++)
		define(d, t, names, &l);
	/* TAU's own count is one more than it writes. */
	if (s.bad || got + 1 < want)
		trace_note(t, (struct note){.kind = NOTE_DEFINITIONS},
			   "%s: %lu of %lu definitions can be read", d->path, got,
			   want > got ? want : got + s.bad);
}

void edf_read(struct edf *d, struct trace *t, struct trc_names *names, const char *path)
{
	FILE *f = path ? text_fopen(path, NULL) : NULL;

	d->path = mem_string(path ? path : "");
	/* Events that every trace has, whether defined or not. */
	set(d, TAU_EV_SEND, EDF_SEND, 0);
	set(d, TAU_EV_RECV, EDF_RECV, 0);
	set(d, TAU_EV_FLUSH, EDF_REGION, region_add(t, names, "FLUSH", "TAU_UTILITY"));
	if (f) {
		read_lines(d, t, names, f);
		fclose(f);
	} else if (path) {
		trace_note(t, (struct note){.kind = NOTE_DEFINITIONS},
			   "%s: %s; the names of its functions are unknown", path, strerror(errno));
	}
}

int64_t edf_count(struct edf *d, int64_t event, int64_t parameter)
{
	uint32_t at;

	if (event < 0 || event >= UINT32_MAX)
		return -1;
	at = map_get(&d->at, (uint64_t)event);
	if (at != MAP_NONE) {
		d->entry[at].used = 1;
		d->entry[at].counts |= parameter != 0 && parameter != 1;
		return d->entry[at].kind == EDF_META && !d->entry[at].counts ? (int64_t)at : -1;
	}
	if (event >= TAU_EV_INIT && event < TAU_EV_INIT + TAU_EV_OWN)
		return -1;
	at = map_get(&d->guess_at, (uint64_t)event);
	if (at == MAP_NONE && d->guess_n == EDF_GUESSES)
		return -1;
	if (at == MAP_NONE) {
		at = (uint32_t)d->guess_n;
		map_set(&d->guess_at, (uint64_t)event, at);
		array_add(d, guess)->id = (uint32_t)event;
	}
	d->guess[at].enters += parameter == 1;
	d->guess[at].leaves += parameter == -1;
	d->guess[at].others += parameter != 1 && parameter != -1;
	return -1;
}

void edf_settle_meta(struct edf *d, struct trace *t, struct trc_names *names)
{
	for (size_t i = 0; i < d->entry_n; i++) {
		struct edf_entry *x = &d->entry[i];

		if (x->kind != EDF_META || !x->counts)
			continue;
		*x = (struct edf_entry){EDF_VALUE, event_add(t, names, names->meta.name[x->ref], 0),
					x->used, 1};
	}
}

/*
 * What has a leave without an enter is no region that can be shown; neither is what has other
 * parameters, as the values of a counter.
 */
void edf_guess(struct edf *d, struct trace *t, struct trc_names *names)
{
	for (size_t i = 0; i < d->guess_n; i++) {
		const struct edf_guess *g = &d->guess[i];
		char *name = mem_printf("(undefined region %u)", g->id);

		if (g->enters && !g->others)
			set(d, g->id, EDF_REGION, region_add(t, names, name, ""));
		else
			set(d, g->id, EDF_OTHER, 0);
		free(name);
	}
}

/* "FILE" or "FILE and 3 others". The caller frees it. */
static char *and_others(const char *first, size_t n)
{
	if (n < 2)
		return mem_string(first);
	return mem_printf("%s and %zu other%s", first, n - 1, plural(n - 1));
}

static void note_missing(struct edf *const *d, size_t n, struct trace *t)
{
	const char *first = NULL;
	size_t files = 0;
	char *which;

	for (size_t i = 0; i < n; i++)
		if (!*d[i]->path && !files++)
			first = d[i]->trace;
	if (!files)
		return;
	which = and_others(first, files);
	trace_note(t, (struct note){.kind = NOTE_DEFINITIONS},
		   "%s: there is no .edf file beside %s; the names of functions are unknown", which,
		   files == 1 ? "it" : "them");
	free(which);
}

/* Adds an id to a set; 1: it was not in it. */
static int added(struct map *set, uint32_t id)
{
	if (map_get(set, id) != MAP_NONE)
		return 0;
	map_set(set, id, 1);
	return 1;
}

static void note_undefined(struct edf *const *d, size_t n, struct trace *t)
{
	struct map seen = {0}, shown = {0};
	size_t files = 0, ids = 0, regions = 0;
	uint64_t left_out = 0;
	const char *first = NULL;
	char *which;

	for (size_t i = 0; i < n; i++) {
		if (d[i]->guess_n && !files++)
			first = *d[i]->path ? d[i]->path : d[i]->trace;
		for (size_t k = 0; k < d[i]->guess_n; k++) {
			const struct edf_guess *g = &d[i]->guess[k];
			int region = d[i]->entry[map_get(&d[i]->at, g->id)].kind == EDF_REGION;

			ids += added(&seen, g->id);
			if (region)
				regions += added(&shown, g->id);
			else
				left_out += g->enters + g->leaves + g->others;
		}
	}
	map_release(&seen);
	map_release(&shown);
	if (!files)
		return;
	which = and_others(first, files);
	trace_note(t, (struct note){.kind = NOTE_DEFINITIONS},
		   "%s: %zu id%s of records without a definition: %zu %s \"(undefined "
		   "region ID)\"; %llu record%s of the others not included",
		   which, ids, plural(ids), regions,
		   regions == 1 ? "is shown as" : "are shown as", (unsigned long long)left_out,
		   plural((size_t)left_out));
	free(which);
}

void edf_note(struct edf *const *d, size_t n, struct trace *t)
{
	note_missing(d, n, t);
	note_undefined(d, n, t);
}

void edf_release(struct edf *d)
{
	map_release(&d->guess_at);
	free(d->guess);
	map_release(&d->at);
	free(d->entry);
	free(d->path);
	free(d->trace);
}
