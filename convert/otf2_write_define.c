/* otf2_write_define.c: the definitions of an OTF2 archive, and its anchor, once its events are written. */
#include <errno.h>
#include <stdio.h>

#include "otf2_writer.h"

/* The first time texts are only collected, because readers want them before what they are used for. */
static void put_definition(struct otf2_writer *w, unsigned kind)
{
	if (w->collecting)
		w->f.v_n = 0;
	else
		otf2_put_definition(&w->out, kind, &w->f);
}

/* Fields as `letters` have them: b byte, u 32 bits, U 64 bits. */
static void define(struct otf2_writer *w, unsigned kind, const char *letters, const uint64_t *v)
{
	for (size_t i = 0; letters[i]; i++)
		otf2_field(&w->f, letters[i], v[i]);
	put_definition(w, kind);
}
#define DEFINE(w, kind, letters, ...) define(w, kind, letters, (const uint64_t[]){__VA_ARGS__})

/* A text ends where no chunk could hold it. */
static void define_strings(struct otf2_writer *w)
{
	for (uint32_t i = 0; i < w->string.name_n; i++) {
		const char *s = w->string.name[i];
		size_t n = strnlen(s, OTF2_TEXT_MOST);

		w->o->loss[LOSS_TEXT] += s[n] != 0;
		otf2_field(&w->f, 'u', i);
		put(&w->f, s, n);
		put_byte(&w->f, 0);
		otf2_put_definition(&w->out, OTF2_DEF_STRING, &w->f);
	}
}

/* ---- regions ---- */

static uint8_t paradigm_of(const char *groups)
{
	static const struct {
		const char *group;
		uint8_t paradigm;
	} known[] = {{"MPI", OTF2_MPI},
		     {"SHMEM", OTF2_SHMEM},
		     {"OPENMP", OTF2_OPENMP},
		     {"PTHREAD", OTF2_PTHREAD},
		     {"TAU_UTILITY", OTF2_MEASUREMENT}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(groups, known[i].group, strlen(known[i].group)))
			return known[i].paradigm;
	return OTF2_USER;
}

static void define_region(struct otf2_writer *w, uint32_t ref, uint32_t name, uint32_t about,
			  uint32_t file, uint32_t line, uint8_t role, uint8_t paradigm)
{
	DEFINE(w, OTF2_DEF_REGION, "uuubuuuubbu", ref, name, about, 0, file, line, 0, name, role,
	       paradigm, 0);
}

static void define_regions(struct otf2_writer *w)
{
	const struct trace *t = w->trace;

	for (uint32_t i = 0; i <= t->region_n; i++) {
		const struct trace_region root = {.name = REGION_ROOT, .groups = "TAU_UTILITY"};
		const struct trace_region *r = i < t->region_n ? &t->region[i] : &root;
		char *groups = mem_printf(OTF2_OURS "%s", r->groups);

		define_region(w, i, otf2_string_id(w, r->name), otf2_string_id(w, groups),
			      r->file ? otf2_string_id(w, r->file) : OTF2_UNDEFINED32, r->line,
			      i < t->region_n ? OTF2_ROLE_FUNCTION : OTF2_ROLE_ARTIFICIAL,
			      paradigm_of(r->groups));
		free(groups);
	}
}

/* All of them if any is needed: readers want them to be numbered without gaps. */
static void define_attributes(struct otf2_writer *w)
{
	static const struct {
		const char *name, *about;
	} known[] = {
		[OTF2_ATTRIBUTE_NS] = {"ns", "of a sample"},
		[OTF2_ATTRIBUTE_INSIDE] = {"periods inside the recorder", "of a sample"},
		[OTF2_ATTRIBUTE_MISSED] = {"periods missed", "of a sample"},
		[OTF2_ATTRIBUTE_OPEN] = {"open before", "of an enter that is no call"},
	};

	for (uint32_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (w->opens || w->period || w->node_n)
			DEFINE(w, 11, "uubu", i, otf2_string_id(w, known[i].name), OTF2_UINT64,
			       otf2_string_id(w, known[i].about));
}

/* What samples met: a region for each function, a place for each line. */
static void define_samples(struct otf2_writer *w)
{
	if (!w->period && !w->node_n)
		return;
	for (uint32_t i = 0; i < w->function_n; i++) {
		const struct otf2_function *f = &w->function[i];

		define_region(w, w->region_n + i, f->name, f->about, f->file, 0, OTF2_ROLE_FUNCTION,
			      OTF2_COMPILER);
	}
	for (uint32_t i = 0; i < w->node_n; i++) {
		const struct otf2_node *n = &w->node[i];
		uint32_t file = w->function[n->region].file;

		DEFINE(w, OTF2_DEF_PLACE, "uuu", i, file == OTF2_UNDEFINED32 ? 0 : file, n->line);
		DEFINE(w, OTF2_DEF_CONTEXT, "uuuu", i, w->region_n + n->region, i, n->parent);
	}
	DEFINE(w, 36, "uubbUU", 0, otf2_string_id(w, "CPU time"), 0, 1, (uint64_t)-9, w->period);
}

/* ---- metrics ---- */

static void define_member(struct otf2_writer *w, const char *name, const char *about, unsigned mode,
			  unsigned type, const char *unit)
{
	DEFINE(w, OTF2_DEF_MEMBER, "uuubbbbUu", w->member_n++, otf2_string_id(w, name),
	       otf2_string_id(w, about), 3, mode, type, 1, 0, otf2_string_id(w, unit));
}

/* A class of the one member defined last; both are counted from 0. */
static void define_class(struct otf2_writer *w)
{
	DEFINE(w, OTF2_DEF_CLASS, "ububb", w->class_n++, 1, w->member_n - 1, OTF2_ASYNCHRONOUS, 0);
}

static void define_memory(struct otf2_writer *w, const char *shown, const char *verb, uint32_t type,
			  uint32_t to, unsigned value, const char *unit)
{
	char *name = mem_printf("%s %s", shown, w->trace->memtype[type].name),
	     *about = mem_printf(OTF2_OURS "%s %u %u", verb, type, to);

	define_member(w, name, about, OTF2_ABSOLUTE | OTF2_POINT, value, unit);
	define_class(w);
	free(name);
	free(about);
}

static void define_extra(struct otf2_writer *w, const struct otf2_extra *x)
{
	static const struct {
		const char *shown, *verb, *unit;
		unsigned value;
	} known[] = {
		[OTF2_EXTRA_RETYPE] = {"retype", "retype", "bytes", OTF2_UINT64},
		[OTF2_EXTRA_LIVE] = {"live", "live", "bytes", OTF2_INT64},
		[OTF2_EXTRA_OBJECTS] = {"live objects", "objects", "#", OTF2_INT64},
	};

	define_memory(w, known[x->kind].shown, known[x->kind].verb, x->type, x->to,
		      known[x->kind].value, known[x->kind].unit);
}

/* "tau:type OWNER SIZE LEAK LINE N:SITE FILE", N bytes of SITE, -1: none; LEAK + 4: with context. */
static void define_type(struct otf2_writer *w, const struct trace_memtype *m)
{
	char *about = mem_printf(OTF2_OURS "type %lld %u %u %u %d:%s%s%s",
				 m->owner == TRACE_NONE ? -1ll : (long long)m->owner,
				 m->object_size, (unsigned)m->leak + (m->context ? 4 : 0), m->line,
				 m->site ? (int)strlen(m->site) : -1, m->site ? m->site : "",
				 m->file ? " " : "", m->file ? m->file : "");

	define_member(w, m->name, about, OTF2_ABSOLUTE | OTF2_POINT, OTF2_UINT64, "bytes");
	free(about);
}

/* The metrics that come with events are the first class. */
static void define_strict(struct otf2_writer *w)
{
	const struct trace *t = w->trace;
	size_t n = t->metric_n < UINT8_MAX ? t->metric_n : UINT8_MAX;

	if (!n)
		return;
	for (uint32_t i = 0; i < n; i++) {
		char *about = mem_printf(OTF2_OURS "metric %u", t->metric[i].divide);

		define_member(w, t->metric[i].name, about, OTF2_ACCUMULATED, OTF2_INT64,
			      t->metric[i].divide == 1000 ? "ns" : "#");
		free(about);
	}
	otf2_field(&w->f, 'u', w->class_n++);
	otf2_field(&w->f, 'b', n);
	for (uint32_t i = 0; i < n; i++)
		otf2_field(&w->f, 'u', i);
	otf2_field(&w->f, 'b', OTF2_STRICT);
	otf2_field(&w->f, 'b', 0);
	put_definition(w, OTF2_DEF_CLASS);
}

static void define_metrics(struct otf2_writer *w)
{
	static const char *const shown[] = {"alloc", "lost", "indirectly lost", "reachable"};
	const struct trace *t = w->trace;

	w->member_n = w->class_n = 0;
	define_strict(w);
	for (size_t i = 0; i < t->event_n; i++) {
		define_member(w, t->event[i].name,
			      t->event[i].flags & EVENT_FLAG_CONTEXT ? OTF2_OURS "context" : "",
			      t->event[i].flags & EVENT_FLAG_MONOTONIC ? OTF2_ACCUMULATED
								       : OTF2_ABSOLUTE | OTF2_POINT,
			      OTF2_DOUBLE, "");
		define_class(w);
	}
	for (uint32_t i = 0; i < t->memtype_n; i++) {
		define_memory(w, shown[t->memtype[i].leak], "alloc", i, 0, OTF2_UINT64, "bytes");
		define_memory(w, "free", "free", i, 0, OTF2_UINT64, "bytes");
	}
	for (size_t i = 0; i < w->extra_n; i++)
		define_extra(w, &w->extra[i]);
	for (size_t i = 0; i < t->memtype_n; i++)
		define_type(w, &t->memtype[i]);
}

/* ---- places ---- */

/* Hosts are nodes of the system. */
static void define_hosts(struct otf2_writer *w, uint32_t *node)
{
	const struct trace *t = w->trace;
	uint32_t machine = otf2_string_id(w, "machine");
	struct names host = {0};

	DEFINE(w, OTF2_DEF_NODE, "uuuu", 0, machine, machine, OTF2_UNDEFINED32);
	for (uint32_t p = 0; p < t->process_n; p++) {
		const struct trace_process *q = &t->process[p];
		const char *on = q->host && *q->host ? q->host : "unknown";
		size_t before = host.name_n;

		node[p] = names_add(&host, on, strlen(on)) + 1;
		if (host.name_n > before)
			DEFINE(w, OTF2_DEF_NODE, "uuuu", node[p], otf2_string_id(w, on),
			       otf2_string_id(w, "node"), 0);
	}
	names_release(&host);
}

static void define_property(struct otf2_writer *w, uint32_t process, const char *name,
			    const char *value)
{
	uint32_t id = otf2_string_id(w, value);

	DEFINE(w, OTF2_DEF_PROPERTY, "uuubu", process, otf2_string_id(w, name), id, OTF2_STRING,
	       id);
}

/* The numbers of the threads of a process, where they are not those that locations get by their
 * order. */
static void define_threads(struct otf2_writer *w, uint32_t process)
{
	const struct trace_process *q = &w->trace->process[process];
	char *text = mem_string("");
	uint32_t n = 0;
	int others = 0;

	for (size_t i = 0; i < q->stream_n; i++) {
		uint32_t thread = w->trace->stream[q->stream[i]].thread;
		char *more;

		if (!w->used[q->stream[i]])
			continue;
		more = mem_printf("%s%s%u", text, n ? " " : "", thread);
		free(text);
		text = more;
		others |= thread != n++;
	}
	if (others)
		define_property(w, process, OTF2_THREADS, text);
	free(text);
}

static void define_processes(struct otf2_writer *w, const uint32_t *node)
{
	const struct trace *t = w->trace;

	for (uint32_t p = 0; p < t->process_n; p++) {
		const struct trace_process *q = &t->process[p];
		char *name = q->rank >= 0 ? mem_printf("MPI Rank %lld", (long long)q->rank)
					  : mem_printf("Process %d", q->node);

		DEFINE(w, OTF2_DEF_PROCESS, "uubuu", p, otf2_string_id(w, name), OTF2_PROCESS,
		       node[p], OTF2_UNDEFINED32);
		for (size_t i = 0; i < q->meta_n; i++)
			define_property(w, p, q->meta[i].name, q->meta[i].value);
		define_threads(w, p);
		free(name);
		if (q->node != q->rank && (t->process_n > 1 || q->node > 0)) {
			name = mem_printf("%d", q->node);
			define_property(w, p, OTF2_NUMBER, name);
			free(name);
		}
	}
	for (uint32_t s = 0; s < t->stream_n; s++)
		if (w->used[s])
			DEFINE(w, OTF2_DEF_LOCATION, "UubUu", s,
			       otf2_string_id(w, t->stream[s].label), OTF2_CPU_THREAD, w->events[s],
			       t->stream[s].process);
}

/* A handle for each file. */
static void define_files(struct otf2_writer *w)
{
	if (w->handle_n)
		DEFINE(w, 8, "buubub", 0, otf2_string_id(w, "POSIX"),
		       otf2_string_id(w, "POSIX I/O"), 0, 0, 0);
	for (uint32_t i = 0; i < w->handle_n; i++) {
		uint32_t name = otf2_string_id(w, w->trace->event[w->handle[i]].name);

		DEFINE(w, OTF2_DEF_FILE, "uuu", i, name, 0);
		DEFINE(w, OTF2_DEF_HANDLE, "uuubuuu", i, name, i, 0, 0, OTF2_UNDEFINED32,
		       OTF2_UNDEFINED32);
	}
}

/* ---- communicators ---- */

/* A list of ranks or of locations. `old` is what versions before 1.2 would have called its type. */
static void define_group(struct otf2_writer *w, uint32_t ref, unsigned type, unsigned old,
			 const uint64_t *member, size_t n)
{
	otf2_field(&w->f, 'u', ref);
	otf2_field(&w->f, 'u', 0);
	otf2_field(&w->f, 'b', old);
	otf2_field(&w->f, 'u', n);
	for (size_t i = 0; i < n; i++)
		otf2_field(&w->f, 'U', member[i]);
	otf2_field(&w->f, 'b', type);
	otf2_field(&w->f, 'b', OTF2_MPI);
	otf2_field(&w->f, 'u', 0);
	put_definition(w, OTF2_DEF_GROUP);
}

void otf2_world_has(struct otf2_writer *w, int64_t rank)
{
	if (rank >= w->world && rank < OTF2_WORLD_MAX)
		w->world = rank + 1;
}

/* All ranks that are there, that events name, or that communicators have: what readers look up. */
static size_t world_size(struct otf2_writer *w)
{
	const struct trace *t = w->trace;

	for (size_t p = 0; p < t->process_n; p++)
		otf2_world_has(w, t->process[p].node);
	for (size_t i = 0; i < t->comm_n; i++)
		for (size_t k = 0; k < t->comm[i].n; k++)
			otf2_world_has(w, t->comm[i].rank[k]);
	return (size_t)w->world;
}

/* Ranks count in the list of each process's first stream. Those that are not in the trace, as it may be a part of a run, have one
 * that nothing defines. */
static void define_world(struct otf2_writer *w)
{
	const struct trace *t = w->trace;
	size_t n = world_size(w);
	uint64_t *location = mem_alloc((n + 1) * sizeof(*location)),
		 *rank = mem_alloc((n + 1) * sizeof(*rank));

	for (size_t i = 0; i < n; i++) {
		location[i] = t->stream_n + i;
		rank[i] = i;
	}
	for (size_t s = t->stream_n; s-- > 0;) {
		int32_t node = t->process[t->stream[s].process].node;

		if (w->used[s] && node >= 0 && (size_t)node < n)
			location[node] = s;
	}
	define_group(w, OTF2_GROUP_LOCATIONS, OTF2_COMM_LOCATIONS, 6, location, n);
	define_group(w, OTF2_GROUP_WORLD, OTF2_COMM_GROUP, 4, rank, n);
	DEFINE(w, OTF2_DEF_COMM, "uuuuu", OTF2_COMM_WORLD, otf2_string_id(w, "MPI_COMM_WORLD"),
	       OTF2_GROUP_WORLD, OTF2_UNDEFINED32, 0);
	free(location);
	free(rank);
}

static void define_comms(struct otf2_writer *w)
{
	const struct trace *t = w->trace;

	define_world(w);
	for (uint32_t i = 0; i < t->comm_n; i++) {
		const struct trace_comm *c = &t->comm[i];
		uint64_t *member = mem_alloc((c->n + 1) * sizeof(*member));

		for (size_t k = 0; k < c->n; k++)
			member[k] = c->rank[k];
		define_group(w, OTF2_GROUP_WORLD + 1 + i, OTF2_COMM_GROUP, 4, member, c->n);
		free(member);
	}
	for (uint32_t i = 0; i < t->comm_n; i++) {
		uint32_t name = otf2_string_id(w, t->comm[i].name);
		uint32_t group = OTF2_GROUP_WORLD + 1 + i, other = t->comm[i].inter;

		if (!other)
			DEFINE(w, OTF2_DEF_COMM, "uuuuu", w->comm[i], name, group,
			       OTF2_COMM_WORLD, 0);
		else if (!trace_comm_second(t->comm, i))
			DEFINE(w, OTF2_DEF_INTER, "uuuuuu", w->comm[i], name, group,
			       OTF2_GROUP_WORLD + other, OTF2_COMM_WORLD, 0);
	}
	DEFINE(w, OTF2_DEF_WINDOW, "uuuu", OTF2_WINDOW_WORLD, otf2_string_id(w, "memory of all"),
	       OTF2_COMM_WORLD, 0);
}

/* ---- files ---- */

/* Definitions are chunks, too: one must hold the longest list of ranks, and the longest text. All texts are known by then. */
static size_t definition_chunk(struct otf2_writer *w)
{
	size_t n = world_size(w), size = OTF2_DEFINITION_CHUNK, most, comm_most = 0;

	/* Numbers below 2^24 take four bytes. */
	most = n * (n + w->trace->stream_n < 1 << 24 ? 4 : 9);
	for (size_t i = 0; i < w->trace->comm_n; i++)
		comm_most = w->trace->comm[i].n > comm_most ? w->trace->comm[i].n : comm_most;
	most = 5 * comm_most > most ? 5 * comm_most : most;
	for (uint32_t i = 0; i < w->string.name_n; i++) {
		size_t text = strnlen(w->string.name[i], OTF2_TEXT_MOST);

		most = text > most ? text : most;
	}
	while (size < most + 64)
		size *= 2;
	return size;
}

static void define_rest(struct otf2_writer *w)
{
	uint32_t *node = mem_alloc((w->trace->process_n + 1) * sizeof(*node));

	define_hosts(w, node);
	define_processes(w, node);
	define_regions(w);
	define_samples(w);
	define_attributes(w);
	define_metrics(w);
	define_files(w);
	define_comms(w);
	free(node);
}

static void define_all(struct otf2_writer *w)
{
	DEFINE(w, OTF2_DEF_CLOCK, "UUUU", 1000000000, 0, (uint64_t)w->last,
	       w->trace->wall > 0 ? (uint64_t)w->trace->wall : OTF2_UNDEFINED64);
	define_strings(w);
	define_rest(w);
}

static int anchor(struct otf2_writer *w, const char *path, uint64_t locations, uint64_t definitions)
{
	static const unsigned char head[] = {OTF2_CHUNK, 'B', 'O', 'T', 'F', '2', 0, 3, 2, 3, 0, 2};
	static const unsigned char zero[17], end[] = {OTF2_END_FILE, 1, 0};
	uint64_t size[2] = {OTF2_EVENT_CHUNK, definition_chunk(w)}, n[2] = {locations, definitions};
	FILE *f = fopen(path, "wxe");
	int bad;

	if (!f)
		return -1;
	fwrite(head, 1, sizeof(head), f);
	fwrite(size, 1, sizeof(size), f);
	fwrite("\1\1", 1, 2, f); /* files of their own, not compressed */
	fwrite(n, 1, sizeof(n), f);
	fwrite("", 1, 1, f);                                 /* machine */
	fwrite(OTF2_CREATOR, 1, sizeof(OTF2_CREATOR), f);    /* creator */
	fwrite("", 1, 1, f);                                 /* description */
	fwrite(zero, 1, 4, f);                               /* properties */
	fwrite(&w->last, 1, 8, f);                           /* an id, the same for the same trace */
	fwrite(zero, 1, 8, f);                               /* snapshots, thumbnails */
	fwrite(end, 1, sizeof(end), f);
	errno = 0;
	bad = fflush(f) || ferror(f);
	bad |= fclose(f) != 0;
	errno = errno ? errno : EIO;
	return bad ? -1 : 0;
}

int otf2_write_definitions(struct otf2_writer *w, char **path)
{
	uint64_t locations = 0, definitions;

	/* A file for each location; nothing needs to stand in it. */
	for (uint32_t s = 0; s < w->trace->stream_n; s++) {
		if (!w->used[s])
			continue;
		locations++;
		*path = mem_printf("%s/traces/%u.def", w->folder, s);
		if (otf2_out_open(&w->out, *path, OTF2_EVENT_CHUNK) || otf2_out_close(&w->out))
			return -1;
		free(*path);
	}
	w->collecting = 1;
	define_rest(w);
	w->collecting = 0;
	*path = mem_printf("%s/traces.def", w->folder);
	if (otf2_out_open(&w->out, *path, definition_chunk(w)))
		return -1;
	define_all(w);
	definitions = w->out.records;
	if (otf2_out_close(&w->out))
		return -1;
	free(*path);
	*path = mem_printf("%s/traces.otf2", w->folder);
	if (anchor(w, *path, locations, definitions))
		return -1;
	free(*path);
	return 0;
}
