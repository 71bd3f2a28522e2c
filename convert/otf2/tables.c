/* tables.c: regions, communicators and metrics of an OTF2 archive as tables of the trace. */
#include <stdio.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/memory_type.h"
#include "analyze/trace/trace.h"
#include "convert/otf2/definitions.h"

#define METRICS_MOST 256       /* rows of values are as wide as there are metrics */
#define MEMBERS_MOST (1 << 20) /* few bytes can name many: more is damage */

/* ---- regions ---- */

static const struct {
	uint8_t paradigm;
	const char *group;
} group_of_paradigm[] = {
	{OTF2_PARADIGM_MPI, "MPI"},       {OTF2_PARADIGM_SHMEM, "SHMEM"},
	{OTF2_PARADIGM_OPENMP, "OPENMP"}, {OTF2_PARADIGM_PTHREAD, "PTHREAD"},
	{OTF2_PARADIGM_CUDA, "CUDA"},     {OTF2_PARADIGM_HIP, "HIP"},
	{OTF2_PARADIGM_OPENCL, "OPENCL"}, {OTF2_PARADIGM_OPENACC, "OPENACC"},
	{OTF2_PARADIGM_KOKKOS, "KOKKOS"}, {OTF2_PARADIGM_GASPI, "GASPI"},
	{OTF2_PARADIGM_UPC, "UPC"},       {OTF2_PARADIGM_MEASUREMENT_SYSTEM, "TAU_UTILITY"},
};

static const char *region_groups(const struct archive_raw *d, const struct raw_region *r)
{
	const char *description = archive_text(d, r->description);

	if (d->run->ours && !strncmp(description, ARCHIVE_OURS, strlen(ARCHIVE_OURS)))
		return description + strlen(ARCHIVE_OURS);
	if (r->role == OTF2_REGION_ROLE_FILE_IO || r->role == OTF2_REGION_ROLE_FILE_IO_METADATA)
		return "TAU_IO";
	for (size_t i = 0; i < sizeof(group_of_paradigm) / sizeof(*group_of_paradigm); i++)
		if (group_of_paradigm[i].paradigm == r->paradigm)
			return group_of_paradigm[i].group;
	return "TAU_USER";
}

static uint32_t region_add(struct archive_raw *d, const char *name, const char *groups,
			   const char *file, uint32_t line)
{
	uint32_t id = names_add(&d->region_name, name, strlen(name));

	if (id == d->trace->region_n) {
		struct trace_region *r = array_add(d->trace, region);

		r->name = mem_string(name);
		r->groups = mem_string(groups);
		r->file = file && *file ? mem_string(file) : NULL;
		r->line = line;
	}
	return id;
}

/* Is a name used for places in the source that differ? where[name]: 1 + the first region of it. */
static void find_ambiguous(const struct archive_raw *d, struct names *names, uint32_t **first,
			   unsigned char **many)
{
	*first = mem_alloc((d->region_n + 1) * sizeof(**first));
	*many = mem_alloc(d->region_n + 1);
	for (size_t i = 0; i < d->region_n; i++) {
		const struct raw_region *r = &d->region[i], *f;
		const char *name = archive_text(d, r->name);
		uint32_t id = names_add(names, name, strlen(name));

		if (archive_is_code(d, r))
			continue;
		if (!(*first)[id])
			(*first)[id] = (uint32_t)i + 1;
		f = &d->region[(*first)[id] - 1];
		if (f->line != r->line ||
		    strcmp(archive_text(d, f->file), archive_text(d, r->file)))
			(*many)[id] = 1;
	}
}

static void resolve_regions(struct archive_raw *d)
{
	struct archive *run = d->run;
	struct names names = {0};
	unsigned char *many;
	uint32_t *first;

	run->direct_n = d->region_n < 1 << 16 ? (uint32_t)d->region_n * 2 + 64 : 1 << 17;
	run->direct = mem_alloc(run->direct_n * sizeof(*run->direct));
	memset(run->direct, 0xff, run->direct_n * sizeof(*run->direct));
	find_ambiguous(d, &names, &first, &many);
	for (size_t i = 0; i < d->region_n; i++) {
		const struct raw_region *r = &d->region[i];
		const char *name = archive_text(d, r->name), *file = archive_text(d, r->file);
		char *full = NULL;
		uint32_t at;

		if (archive_is_code(d, r))
			continue;
		if (many[names_find(&names, name, strlen(name))] && *file && r->line)
			full = mem_printf("%s [{%s} {%u,0}]", name, file, r->line);
		if (!strcmp(name, REGION_ROOT))
			at = ARCHIVE_REGION_ROOT;
		else
			at = region_add(d, full ? full : name, region_groups(d, r), file, r->line);
		if (r->ref < run->direct_n)
			run->direct[r->ref] = at;
		else
			map_set(&run->region_far, r->ref, at);
		free(full);
	}
	run->unknown = region_add(d, "(undefined region)", "TAU_USER", NULL, 0);
	for (uint32_t i = 0; i < run->direct_n; i++)
		if (run->direct[i] == TRACE_NONE)
			run->direct[i] = run->unknown;
	run->off_region = region_add(d, ARCHIVE_REGION_OFF, "TAU_UTILITY", NULL, 0);
	run->flush_region = region_add(d, "TRACE BUFFER FLUSH", "TAU_UTILITY", NULL, 0);
	for (size_t i = 0; i < d->context_n; i++)
		map_set(&run->context_of, d->context[i].ref, (uint32_t)i);
	if (run->ours)
		archive_codes(d);
	for (size_t i = 0; i < d->context_n && !run->ours; i++) {
		struct archive_context *c = array_add(run, context);

		c->region = archive_region(run, d->context[i].region);
		c->parent = map_get(&run->context_of, d->context[i].parent);
	}
	names_release(&names);
	free(first);
	free(many);
}

/* ---- events ---- */

static uint32_t event_add(struct archive_raw *d, const char *name, uint32_t flags)
{
	char *key = mem_printf("%u %s", flags, name);
	uint32_t id = names_add(&d->event_name, key, strlen(key));

	free(key);
	if (id == d->trace->event_n) {
		struct trace_event *v = array_add(d->trace, event);

		v->name = mem_string(name);
		v->flags = flags;
	}
	return id;
}

/* BASE ^ EXPONENT of a member. */
static double scale_of(const struct raw_member *m)
{
	double scale = 1, step = m->base ? 10 : 2;
	uint64_t n = m->exponent < 0 ? 0 - (uint64_t)m->exponent : (uint64_t)m->exponent;

	for (uint64_t i = 0; i < n && i < 300; i++)
		scale *= step;
	return m->exponent < 0 ? 1 / scale : scale;
}

/* What write.c wrote about a member: "tau:alloc 3". Types follow as "tau:type OWNER SIZE", in
 * order. */
static int member_ours(struct archive_raw *d, const struct raw_member *m,
		       struct archive_member *out)
{
	const char *s = archive_text(d, m->description);
	unsigned type, to = 0;
	size_t n = d->trace->memtype_n;
	char kind[8];

	if (!d->run->ours || sscanf(s, ARCHIVE_OURS "%7s %u %u", kind, &type, &to) < 2 ||
	    type >= n || to >= n)
		return 0;
	out->event = type;
	out->to = to;
	out->kind = !strcmp(kind, "alloc")     ? ARCHIVE_MEMBER_ALLOC
		    : !strcmp(kind, "free")    ? ARCHIVE_MEMBER_FREE
		    : !strcmp(kind, "retype")  ? ARCHIVE_MEMBER_RETYPE
		    : !strcmp(kind, "live")    ? ARCHIVE_MEMBER_LIVE
		    : !strcmp(kind, "objects") ? ARCHIVE_MEMBER_OBJECTS
					       : ARCHIVE_MEMBER_VALUE;
	return out->kind != ARCHIVE_MEMBER_VALUE;
}

/*
 * Reads "N:TEXT", N bytes of TEXT after blanks at *s, and moves *s to its end. "" if there is no
 * such text.
 */
static char *counted_text(const char **s)
{
	char *end;
	unsigned long n = strtoul(*s, &end, 10);

	if (*end != ':' || n > strlen(end + 1))
		return mem_string("");
	*s = end + 1 + n;
	return mem_printf("%.*s", (int)n, end + 1);
}

/* "tau:lock N:KIND M:NAME PLACE" of a member, see write_definitions.c. Each is an event of its own. */
static int member_lock(struct archive_raw *d, const struct raw_member *m, const char *suffix,
		       struct archive_member *out)
{
	static const char begin[] = ARCHIVE_OURS "lock ";
	const char *s = archive_text(d, m->description), *name = archive_text(d, m->name);
	struct trace_event *e;
	char *key;

	if (!d->run->ours || strncmp(s, begin, strlen(begin)))
		return 0;
	key = mem_printf("lock %zu %s%s", (size_t)(m - d->member), name, suffix);
	out->event = event_add(d, key, 0);
	free(key);
	e = &d->trace->event[out->event];
	if (e->lock)
		return 1;
	free(e->name);
	e->name = mem_printf("%s%s", name, suffix);
	s += strlen(begin);
	e->lock = mem_alloc(sizeof(*e->lock));
	e->lock->kind = counted_text(&s);
	e->lock->name = counted_text(&s);
	e->lock->place = *s == ' ' && s[1] ? mem_string(s + 1) : NULL;
	return 1;
}

/*
 * Reads the class from the name of a type; "tau:class ..." of a member has what the name does not
 * contain.
 */
static void read_class(struct trace_memtype *t)
{
	struct memory_class c = memory_class_read(t->name);

	t->kind = c.kind;
	t->family = c.family;
	if (c.library)
		t->library = mem_printf("%.*s", (int)c.library_n, c.library);
}

/* "tau:class TYPE KIND FAMILY LIBRARY" of a member, see write_definitions.c. */
static void add_class(struct archive_raw *d, const struct raw_member *m)
{
	const char *s = archive_text(d, m->description);
	unsigned type, kind, family;
	struct trace_memtype *t;
	size_t n;
	int at = 0;

	if (sscanf(s, ARCHIVE_OURS "class %u %u %u%n", &type, &kind, &family, &at) < 3 ||
	    type >= d->trace->memtype_n || kind >= MEMORY_KINDS || family >= MEMORY_FAMILIES)
		return;
	t = &d->trace->memtype[type];
	/* Readers of our own traces compose the names of slabs. */
	n = strlen(t->name);
	if (kind == MEMORY_SLAB && (n < 2 || strcmp(t->name + n - 2, "[]")))
		return;
	t->kind = (enum memory_kind)kind;
	t->family = (enum memory_family)family;
	free(t->library);
	t->library = s[at] == ' ' && s[at + 1] ? mem_string(s + at + 1) : NULL;
}

/* "tau:type OWNER SIZE LEAK LINE N:SITE FILE" of a member, see write_definitions.c. */
static void add_memtype(struct archive_raw *d, const struct raw_member *m)
{
	const char *s = archive_text(d, m->description);
	struct trace_memtype t = {.name = NULL, .call = TRACE_NONE};
	unsigned leak = 0, line = 0;
	int site = -1, at = 0;
	long long owner;

	if (sscanf(s, ARCHIVE_OURS "type %lld %u %u %u %d:%n", &owner, &t.object_size, &leak, &line,
		   &site, &at) < 2)
		return;
	/* Owners are defined before what they own. */
	if (owner >= (long long)d->trace->memtype_n || leak > 4 + LEAK_REACHABLE)
		return;
	s += at;
	if (at && site >= 0 && (size_t)site <= strlen(s)) {
		t.site = mem_printf("%.*s", site, s);
		s += site;
	}
	if (at && *s == ' ')
		t.file = mem_string(s + 1);
	t.name = mem_string(archive_text(d, m->name));
	read_class(&t);
	t.owner = owner < 0 ? TRACE_NONE : (uint32_t)owner;
	t.leak = (enum trace_leak)(leak & 3);
	t.context = leak > LEAK_REACHABLE;
	t.line = line;
	*array_add(d->trace, memtype) = t;
}

static void add_memtypes(struct archive_raw *d)
{
	for (size_t i = 0; d->run->ours && i < d->member_n; i++)
		add_memtype(d, &d->member[i]);
	for (size_t i = 0; d->run->ours && i < d->member_n; i++)
		add_class(d, &d->member[i]);
	for (size_t i = 0; d->trace->memtype_n && i < d->trace->stream_n; i++)
		d->trace->stream[i].has_memory = 1;
}

/* " [NAME]" of what an instance of a metric is about, unless that is the location that recorded it.
 */
static char *scope_name(const struct archive_raw *d, const struct raw_metric *m)
{
	const char *name = "";
	uint32_t at;

	if (m->scope == OTF2_SCOPE_LOCATION && m->of == m->recorder)
		return mem_string("");
	if (m->scope == OTF2_SCOPE_SYSTEM_TREE_NODE) {
		at = map_get(&d->node_of, m->of);
		name = at == MAP_NONE ? "" : archive_text(d, d->node[at].name);
	} else if (m->scope == OTF2_SCOPE_LOCATION_GROUP) {
		at = map_get(&d->group_of, m->of);
		name = at == MAP_NONE ? "" : archive_text(d, d->group[at].name);
	}
	return *name ? mem_printf(" [%s]", name) : mem_printf(" [%llu]", (unsigned long long)m->of);
}

/* 10^9 for ns. */
static int64_t power(unsigned base, int64_t n)
{
	int64_t v = 1;

	while (n-- > 0)
		v *= base;
	return v;
}

/*
 * A member whose values come with each enter and leave and count up is a metric of the trace, in
 * whole numbers, times in ns: `times` of them are one value. 0: it is none.
 */
static int member_metric(struct archive_raw *d, const struct raw_member *m,
			 struct archive_member *out)
{
	const char *said = archive_text(d, m->description), *name = archive_text(d, m->name),
		   *unit = archive_text(d, m->unit);
	int seconds = !strcmp(unit, "s") || !strcmp(unit, "sec");
	unsigned mode = m->mode & 15, divide = 1, base = m->base ? 10 : 2;
	int64_t times = 1;
	uint32_t id;

	if ((m->value != OTF2_TYPE_UINT64 && m->value != OTF2_TYPE_INT64) || !*name)
		return 0;
	if (!d->run->ours || sscanf(said, ARCHIVE_OURS "metric %u", &divide) != 1) {
		if (mode == OTF2_METRIC_VALUE_ABSOLUTE || m->exponent < -9 || m->exponent > 9 ||
		    (m->exponent < 0 && (!seconds || base != 10)))
			return 0;
		divide = seconds ? 1000 : 1;
		times = seconds ? power(10, 9 + m->exponent) : power(base, m->exponent);
		out->relative = mode == OTF2_METRIC_VALUE_RELATIVE;
	}
	id = names_add(&d->metric_name, name, strlen(name));
	if (id >= METRICS_MOST)
		return 0;
	if (id == d->trace->metric_n)
		*array_add(d->trace, metric) =
			(struct trace_metric){mem_string(name), divide ? divide : 1};
	out->kind = ARCHIVE_MEMBER_METRIC;
	out->event = id;
	out->times = times;
	return 1;
}

static struct archive_member member_of(struct archive_raw *d, uint32_t ref, int strict,
				       const char *suffix)
{
	uint32_t at = map_get(&d->member_of, ref);
	const struct raw_member *m = at == MAP_NONE ? NULL : &d->member[at];
	struct archive_member to = {.scale = 1};
	uint32_t flags;
	char *name;

	if (!m) {
		to.event = event_add(d, "(undefined metric)", 0);
		return to;
	}
	if (member_ours(d, m, &to) || member_lock(d, m, suffix, &to) ||
	    (strict && member_metric(d, m, &to)))
		return to;
	flags = (m->mode & 15) == OTF2_METRIC_VALUE_ACCUMULATED ? EVENT_FLAG_MONOTONIC : 0;
	if (d->run->ours && !strcmp(archive_text(d, m->description), ARCHIVE_OURS "context"))
		flags |= EVENT_FLAG_CONTEXT;
	if (d->run->ours && !strcmp(archive_text(d, m->description), ARCHIVE_OURS "unused"))
		flags |= EVENT_FLAG_UNUSED;
	name = mem_printf("%s%s", archive_text(d, m->name), suffix);
	to.event = event_add(d, name, flags);
	to.scale = m->exponent ? scale_of(m) : 1;
	free(name);
	return to;
}

static void metric_add(struct archive_raw *d, const struct raw_metric *class, uint32_t ref,
		       const char *suffix)
{
	struct archive *run = d->run;
	struct archive_metric *x;
	int strict = class->occurrence == OTF2_METRIC_SYNCHRONOUS_STRICT && !*suffix;

	if (run->member_n + class->n > MEMBERS_MOST)
		return;
	map_set(&run->metric_of, ref, (uint32_t)run->metric_n);
	x = array_add(run, metric);
	x->first = (uint32_t)run->member_n;
	x->n = class->n;
	for (uint8_t i = 0; i < class->n; i++) {
		struct archive_member m =
			member_of(d, d->of_class[class->first + i], strict, suffix);

		/* A second member of one name would overwrite the first. */
		for (uint32_t k = x->first; k < run->member_n; k++)
			if (m.kind == ARCHIVE_MEMBER_METRIC && run->member[k].kind == m.kind &&
			    run->member[k].event == m.event)
				m = member_of(d, d->of_class[class->first + i], 0, suffix);
		x->strict |= m.kind == ARCHIVE_MEMBER_METRIC;
		*array_add(run, member) = m;
	}
}

static void resolve_metrics(struct archive_raw *d)
{
	struct map class_of = {0};

	for (size_t i = 0; i < d->metric_n; i++) {
		const struct raw_metric *m = &d->metric[i];

		if (m->class != m->ref)
			continue;
		map_set(&class_of, m->ref, (uint32_t)i);
		metric_add(d, m, m->ref, "");
	}
	for (size_t i = 0; i < d->metric_n; i++) {
		const struct raw_metric *m = &d->metric[i];
		uint32_t class = map_get(&class_of, m->class);
		char *suffix;

		if (m->class == m->ref || class == MAP_NONE)
			continue;
		suffix = scope_name(d, m);
		metric_add(d, &d->metric[class], m->ref, suffix);
		free(suffix);
	}
	map_release(&class_of);
}

/* The name of the file of a handle: its file's, its own, or that of the handle it was made from. */
static const char *handle_name(const struct archive_raw *d, const struct raw_handle *h)
{
	for (int depth = 0; depth < 16; depth++) {
		uint32_t file = map_get(&d->file_of, h->file), up;
		const char *name = file == MAP_NONE ? "" : archive_text(d, file);

		if (*name)
			return name;
		if (*archive_text(d, h->name))
			return archive_text(d, h->name);
		up = map_get(&d->handle_of, h->parent);
		if (up == MAP_NONE)
			break;
		h = &d->handle[up];
	}
	return "(unknown)";
}

static uint32_t is_of_mpi(const struct archive_raw *d, const struct raw_handle *h)
{
	uint32_t name = map_get(&d->paradigm_of, h->paradigm);

	return name != MAP_NONE && !strcmp(archive_text(d, name), ARCHIVE_MPI_IO);
}

static void resolve_events(struct archive_raw *d)
{
	add_memtypes(d);
	resolve_metrics(d);
	for (size_t i = 0; i < d->parameter_n; i++)
		if (d->parameter[i].type != 0)
			map_set(&d->run->parameter_of, d->parameter[i].ref,
				event_add(d, archive_text(d, d->parameter[i].name), 0));
	for (size_t i = 0; i < d->handle_n; i++)
		map_set(&d->run->handle_of, d->handle[i].ref,
			event_add(d, handle_name(d, &d->handle[i]), 0) << 1 |
				is_of_mpi(d, &d->handle[i]));
	d->run->unknown_file = event_add(d, "(unknown)", 0);
}

/* ---- the whole ---- */

static void resolve_clock(struct archive_raw *d)
{
	struct archive *run = d->run;
	uint64_t hz = d->clock && d->resolution ? d->resolution : 1000000000;
	unsigned __int128 most;

	if (!d->clock || !d->resolution)
		trace_note(d->trace, (struct note){.kind = NOTE_TIMES},
			   "%s: it does not contain the length of a tick; 1 ns is used",
			   d->trace->path);
	run->base = d->clock ? d->offset : UINT64_MAX;
	run->whole = 1000000000 / hz;
	run->part = (uint64_t)(((unsigned __int128)(1000000000 % hz) << 64) / hz);
	/* 2^59 ns are 18 years: no run is longer. */
	most = ((unsigned __int128)hz << 59) / 1000000000;
	run->limit = most < UINT64_MAX / 2 ? (uint64_t)most : UINT64_MAX / 2;
}

int archive_define(struct trace *t, struct archive *run, OTF2_Reader *reader, struct error *e)
{
	struct archive_raw d = {.trace = t, .run = run};
	int code = archive_collect(&d, reader, e);

	if (!code && !d.location_n)
		code = error_set(e, ERROR_INPUT,
				 "%s: it defines no location, so there are no events", t->path);
	if (!code) {
		resolve_clock(&d);
		archive_processes(&d);
		resolve_regions(&d);
		archive_communicators(&d);
		resolve_events(&d);
	}
	archive_raw_release(&d);
	return code;
}
