/* tau_edf.c: the definitions of TAU's own traces: one line an id, `ID GROUP TAG "NAME TYPE"
 * PARAMETER`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tau_trace.h"

#define LINE_LIMIT 65536 /* a name of more than that is damage */

int edf_is(const char *path)
{
	FILE *f = fopen(path, "re");
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
	*array_add(d, entry) = (struct edf_entry){kind, ref};
}

static uint32_t region_add(struct trace *t, struct tau_names *names, const char *name,
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

static uint32_t event_add(struct trace *t, struct tau_names *names, const char *name,
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

static void clean(struct trace *t, char *s)
{
	size_t n = strlen(s);

	while (n && s[n - 1] == ' ')
		s[--n] = 0;
	trace_text(t, s, n);
}

static void define(struct edf *d, struct trace *t, struct tau_names *names, uint32_t id,
		   char *group, long tag, char *name, const char *parameter)
{
	clean(t, group);
	clean(t, name);
	if (id == TAU_EV_SEND || tag == -7)
		set(d, id, EDF_SEND, 0);
	else if (id == TAU_EV_RECV || tag == -8)
		set(d, id, EDF_RECV, 0);
	else if (!strncmp(parameter, "EntryExit", 9) && !strcmp(name, ".TAU application"))
		set(d, id, EDF_ROOT, 0);
	else if (!strncmp(parameter, "EntryExit", 9))
		set(d, id, EDF_REGION, region_add(t, names, name, group));
	else if (!strncmp(parameter, "TriggerValue", 12) && id && id < TAU_EV_INIT)
		set(d, id, tag == 1 ? EDF_GROWS : EDF_VALUE,
		    event_add(t, names, name, tag == 1 ? EVENT_FLAG_MONOTONIC : 0));
	else
		set(d, id, EDF_OTHER, 0);
}

/* One line; the group may be empty, the name may hold anything but a line break. 0: not a
 * definition. */
static int parse(struct edf *d, struct trace *t, struct tau_names *names, char *line)
{
	char *at, *group, *name, *end;
	unsigned long id = strtoul(line, &at, 10);
	long tag;

	if (at == line || *at != ' ' || id > UINT32_MAX - 1)
		return 0;
	group = ++at;
	name = strchr(at, '"');
	end = strrchr(at, '"');
	if (!name || end == name)
		return 0;
	*name = 0;
	/* Group and tag: the tag is the last word before the name. */
	clean(t, group);
	at = strrchr(group, ' ');
	at = at ? at + 1 : group;
	tag = strtol(at, NULL, 10);
	if (at > group)
		at[-1] = 0;
	else
		group = at + strlen(at);
	*end++ = 0;
	define(d, t, names, (uint32_t)id, group, tag, name + 1, end + strspn(end, " "));
	return 1;
}

static void read_lines(struct edf *d, struct trace *t, struct tau_names *names, FILE *f)
{
	char *line = NULL;
	size_t cap = 0, bad = 0;
	unsigned long want = 0, got = 0;
	ssize_t n;

	if (getline(&line, &cap, f) > 0)
		want = strtoul(line, NULL, 10);
	while ((n = getline(&line, &cap, f)) > 0) {
		if (line[0] == '#' || line[0] == '\n' || n > LINE_LIMIT ||
		    (size_t)n != strlen(line)) {
			bad += line[0] != '#' && line[0] != '\n';
			continue;
		}
		line[strcspn(line, "\r\n")] = 0;
		if (parse(d, t, names, line))
			got++;
		else
			bad++;
	}
	free(line);
	if (bad || got < want)
		trace_note(t, "%s: %lu of %lu definitions can be read", d->path, got,
			   want > got ? want : got + bad);
}

void edf_read(struct edf *d, struct trace *t, struct tau_names *names, const char *path)
{
	FILE *f = path ? fopen(path, "re") : NULL;

	d->path = mem_string(path ? path : "");
	/* What every trace has, whatever its definitions say. */
	set(d, TAU_EV_SEND, EDF_SEND, 0);
	set(d, TAU_EV_RECV, EDF_RECV, 0);
	set(d, TAU_EV_FLUSH, EDF_REGION, region_add(t, names, "FLUSH", "TAU_UTILITY"));
	if (f) {
		read_lines(d, t, names, f);
		fclose(f);
	} else {
		trace_note(t, "%s: %s; the names of its functions are not known",
			   path ? path : t->path,
			   path ? strerror(errno) : "there is no .edf file beside it");
	}
}

void edf_release(struct edf *d)
{
	map_release(&d->at);
	free(d->entry);
	free(d->path);
}
