/* write_definitions.c: the definitions of an OTF2 archive, once its events are written. */
#include <string.h>

#include "analyze/trace/memory_type.h"
#include "convert/otf2/writer.h"
#include "analyze/trace/trace.h"
#include "record/metadata.h"

#define TEXT_MOST                                                                                  \
	(OTF2_CHUNK_SIZE_MAX - 64) /* of a text: one chunk holds it, with its head and end */

/*
 * The first time texts are only collected, because readers want them before what they are used for:
 * then there is nothing to write to, and the library refuses.
 */
static void define(struct writer *w, OTF2_ErrorCode code)
{
	if (w->definitions && code)
		w->failed = code;
}
#define DEFINE(w, kind, ...)                                                                       \
	do {                                                                                       \
		if (!(w)->failed)                                                                  \
			define(w,                                                                  \
			       OTF2_GlobalDefWriter_Write##kind((w)->definitions, __VA_ARGS__));   \
	} while (0)

/* A text ends where no chunk could hold it. */
static void define_strings(struct writer *w)
{
	for (uint32_t i = 0; i < w->string.name_n; i++) {
		const char *s = w->string.name[i];
		size_t n = strnlen(s, TEXT_MOST);
		char *cut = s[n] ? mem_printf("%.*s", (int)n, s) : NULL;

		w->o->loss[LOSS_TEXT] += s[n] != 0;
		DEFINE(w, String, i, cut ? cut : s);
		free(cut);
	}
}

/* ---- regions ---- */

static OTF2_Paradigm paradigm_of(const char *groups)
{
	static const struct {
		const char *group;
		OTF2_Paradigm paradigm;
	} known[] = {{"MPI", OTF2_PARADIGM_MPI},
		     {"SHMEM", OTF2_PARADIGM_SHMEM},
		     {"OPENMP", OTF2_PARADIGM_OPENMP},
		     {"PTHREAD", OTF2_PARADIGM_PTHREAD},
		     {"CUDA", OTF2_PARADIGM_CUDA},	/* CUDA_KERNEL and others, too */
		     {"OPENACC", OTF2_PARADIGM_OPENACC},
		     {"KOKKOS", OTF2_PARADIGM_KOKKOS},
		     {"TAU_UTILITY", OTF2_PARADIGM_MEASUREMENT_SYSTEM}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(groups, known[i].group, strlen(known[i].group)))
			return known[i].paradigm;
	return OTF2_PARADIGM_USER;
}

static void define_region(struct writer *w, uint32_t ref, uint32_t name, uint32_t about,
			  uint32_t file, uint32_t line, OTF2_RegionRole role,
			  OTF2_Paradigm paradigm)
{
	DEFINE(w, Region, ref, name, name, about, role, paradigm, OTF2_REGION_FLAG_NONE, file, line,
	       0);
}

static void define_regions(struct writer *w)
{
	const struct trace *t = w->trace;

	for (uint32_t i = 0; i <= t->region_n; i++) {
		const struct trace_region root = {.name = REGION_ROOT, .groups = "TAU_UTILITY"};
		const struct trace_region *r = i < t->region_n ? &t->region[i] : &root;
		char *groups = mem_printf(ARCHIVE_OURS "%s", r->groups);

		define_region(w, i, string_id(w, r->name), string_id(w, groups),
			      r->file ? string_id(w, r->file) : OTF2_UNDEFINED_UINT32, r->line,
			      i < t->region_n ? OTF2_REGION_ROLE_FUNCTION
					      : OTF2_REGION_ROLE_ARTIFICIAL,
			      paradigm_of(r->groups));
		free(groups);
	}
}

/* All of them if any is needed: readers want them to be numbered without gaps. */
static void define_attributes(struct writer *w)
{
	static const struct {
		const char *name, *about;
	} known[] = {
		[ARCHIVE_ATTRIBUTE_NS] = {"ns", "of a sample"},
		[ARCHIVE_ATTRIBUTE_INSIDE] = {"periods inside the recorder", "of a sample"},
		[ARCHIVE_ATTRIBUTE_MISSED] = {"periods missed", "of a sample"},
		[ARCHIVE_ATTRIBUTE_OPEN] = {"open before", "of an enter that is no call"},
	};

	for (uint32_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (w->opens || w->period || w->node_n)
			DEFINE(w, Attribute, i, string_id(w, known[i].name),
			       string_id(w, known[i].about), OTF2_TYPE_UINT64);
}

/* What samples met: a region for each function, a place for each line. */
static void define_samples(struct writer *w)
{
	if (!w->period && !w->node_n)
		return;
	for (uint32_t i = 0; i < w->function_n; i++) {
		const struct sample_function *f = &w->function[i];

		define_region(w, w->region_n + i, f->name, f->about, f->file, 0,
			      OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER);
	}
	for (uint32_t i = 0; i < w->node_n; i++) {
		const struct sample_node *n = &w->node[i];
		uint32_t file = w->function[n->region].file;

		DEFINE(w, SourceCodeLocation, i, file == OTF2_UNDEFINED_UINT32 ? 0 : file, n->line);
		DEFINE(w, CallingContext, i, w->region_n + n->region, i, n->parent);
	}
	DEFINE(w, InterruptGenerator, 0, string_id(w, "CPU time"),
	       OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, w->period);
}

/* ---- metrics ---- */

static void define_member(struct writer *w, const char *name, const char *about,
			  OTF2_MetricMode mode, OTF2_Type type, const char *unit)
{
	DEFINE(w, MetricMember, w->member_n++, string_id(w, name), string_id(w, about),
	       OTF2_METRIC_TYPE_USER, mode, type, OTF2_BASE_DECIMAL, 0, string_id(w, unit));
}

static void define_class(struct writer *w, uint32_t first, uint8_t n, OTF2_MetricOccurrence when)
{
	OTF2_MetricMemberRef member[UINT8_MAX];

	for (uint8_t i = 0; i < n; i++)
		member[i] = first + i;
	DEFINE(w, MetricClass, w->class_n++, n, member, when, OTF2_RECORDER_KIND_UNKNOWN);
}

/* A class of the one member defined last. */
static void define_last(struct writer *w)
{
	define_class(w, w->member_n - 1, 1, OTF2_METRIC_ASYNCHRONOUS);
}

static void define_memory(struct writer *w, const char *shown, const char *verb, uint32_t type,
			  uint32_t to, OTF2_Type value, const char *unit)
{
	char *name = mem_printf("%s %s", shown, w->trace->memtype[type].name),
	     *about = mem_printf(ARCHIVE_OURS "%s %u %u", verb, type, to);

	define_member(w, name, about, OTF2_METRIC_ABSOLUTE_POINT, value, unit);
	define_last(w);
	free(name);
	free(about);
}

static void define_extra(struct writer *w, const struct extra *x)
{
	static const struct {
		const char *shown, *verb, *unit;
		OTF2_Type value;
	} known[] = {
		[EXTRA_RETYPE] = {"retype", "retype", "bytes", OTF2_TYPE_UINT64},
		[EXTRA_LIVE] = {"live", "live", "bytes", OTF2_TYPE_INT64},
		[EXTRA_OBJECTS] = {"live objects", "objects", "#", OTF2_TYPE_INT64},
	};

	define_memory(w, known[x->kind].shown, known[x->kind].verb, x->type, x->to,
		      known[x->kind].value, known[x->kind].unit);
}

/* "tau:type OWNER SIZE LEAK LINE N:SITE FILE", N bytes of SITE, -1: none; LEAK + 4: with context.
 */
static void define_type(struct writer *w, uint32_t type)
{
	const struct trace_memtype *m = &w->trace->memtype[type];
	const char *site = trace_memtype_site(w->trace, type);
	char *about = mem_printf(ARCHIVE_OURS "type %lld %u %u %u %d:%s%s%s",
				 m->owner == TRACE_NONE ? -1ll : (long long)m->owner,
				 m->object_size, (unsigned)m->leak + (m->context ? 4 : 0), m->line,
				 site ? (int)strlen(site) : -1, site ? site : "",
				 m->file ? " " : "", m->file ? m->file : "");

	define_member(w, m->name, about, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, "bytes");
	free(about);
}

static int is_in_name(const struct trace_memtype *m)
{
	struct memory_class c = memory_class_read(m->name);
	size_t n = m->library ? strlen(m->library) : 0;

	return c.kind == m->kind && c.family == m->family && c.library_n == n &&
	       (!n || !memcmp(c.library, m->library, n));
}

/* "tau:class TYPE KIND FAMILY LIBRARY", numbers of memory_type.h, where the name shows something else. */
static void define_family(struct writer *w, uint32_t type)
{
	const struct trace_memtype *m = &w->trace->memtype[type];
	char *about;

	if (is_in_name(m))
		return;
	about = mem_printf(ARCHIVE_OURS "class %u %u %u %s", type, (unsigned)m->kind,
			   (unsigned)m->family, m->library ? m->library : "");
	define_member(w, m->name, about, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, "bytes");
	free(about);
}

/* The metrics that come with events are the first class. */
static void define_strict(struct writer *w)
{
	const struct trace *t = w->trace;
	size_t n = t->metric_n < UINT8_MAX ? t->metric_n : UINT8_MAX;

	if (!n)
		return;
	for (uint32_t i = 0; i < n; i++) {
		char *about = mem_printf(ARCHIVE_OURS "metric %u", t->metric[i].divide);

		define_member(w, t->metric[i].name, about, OTF2_METRIC_ACCUMULATED_START,
			      OTF2_TYPE_INT64, t->metric[i].divide == 1000 ? "ns" : "#");
		free(about);
	}
	define_class(w, 0, (uint8_t)n, OTF2_METRIC_SYNCHRONOUS_STRICT);
}

/* "tau:lock N:KIND M:NAME PLACE", N bytes of KIND, M of NAME. */
static char *about_event(const struct trace_event *e)
{
	const struct trace_lock *l = e->lock;

	if (l)
		return mem_printf(ARCHIVE_OURS "lock %zu:%s %zu:%s %s", strlen(l->kind), l->kind,
				  strlen(l->name), l->name, l->place ? l->place : "");
	return mem_string(e->flags & EVENT_FLAG_CONTEXT	 ? ARCHIVE_OURS "context"
			  : e->flags & EVENT_FLAG_UNUSED ? ARCHIVE_OURS "unused"
							 : "");
}

static void define_metrics(struct writer *w)
{
	static const char *const shown[] = {"alloc", "lost", "indirectly lost", "reachable"};
	const struct trace *t = w->trace;

	w->member_n = w->class_n = 0;
	define_strict(w);
	for (size_t i = 0; i < t->event_n; i++) {
		char *about = about_event(&t->event[i]);

		define_member(w, t->event[i].name, about,
			      t->event[i].flags & EVENT_FLAG_MONOTONIC
				      ? OTF2_METRIC_ACCUMULATED_START
				      : OTF2_METRIC_ABSOLUTE_POINT,
			      OTF2_TYPE_DOUBLE, "");
		free(about);
		define_last(w);
	}
	for (uint32_t i = 0; i < t->memtype_n; i++) {
		define_memory(w, shown[t->memtype[i].leak], "alloc", i, 0, OTF2_TYPE_UINT64,
			      "bytes");
		define_memory(w, "free", "free", i, 0, OTF2_TYPE_UINT64, "bytes");
	}
	for (size_t i = 0; i < w->extra_n; i++)
		define_extra(w, &w->extra[i]);
	for (size_t i = 0; i < t->memtype_n; i++)
		define_type(w, (uint32_t)i);
	for (uint32_t i = 0; i < t->memtype_n; i++)
		define_family(w, i);
}

/* ---- places ---- */

/* Hosts are nodes of the system. */
static void define_hosts(struct writer *w, uint32_t *node)
{
	const struct trace *t = w->trace;
	uint32_t machine = string_id(w, "machine");
	struct names host = {0};

	DEFINE(w, SystemTreeNode, 0, machine, machine, OTF2_UNDEFINED_UINT32);
	for (uint32_t p = 0; p < t->process_n; p++) {
		const struct trace_process *q = &t->process[p];
		const char *on = q->host && *q->host ? q->host : "unknown";
		size_t before = host.name_n;

		node[p] = names_add(&host, on, strlen(on)) + 1;
		if (host.name_n > before)
			DEFINE(w, SystemTreeNode, node[p], string_id(w, on), string_id(w, "node"),
			       0);
	}
	names_release(&host);
}

static void define_property(struct writer *w, uint32_t process, const char *name, const char *value)
{
	DEFINE(w, LocationGroupProperty, process, string_id(w, name), OTF2_TYPE_STRING,
	       (OTF2_AttributeValue){.stringRef = string_id(w, value)});
}

/* The numbers of the threads of a process, where they are not those that locations get by their
 * order. */
static void define_threads(struct writer *w, uint32_t process)
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
		define_property(w, process, TAU_META_THREAD_NUMBERS, text);
	free(text);
}

static OTF2_LocationType location_type(const struct trace_stream *s)
{
	return s->device   ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
	       : s->values ? OTF2_LOCATION_TYPE_METRIC
			   : OTF2_LOCATION_TYPE_CPU_THREAD;
}

static void define_processes(struct writer *w, const uint32_t *node)
{
	const struct trace *t = w->trace;

	for (uint32_t p = 0; p < t->process_n; p++) {
		const struct trace_process *q = &t->process[p];
		char *name = q->rank >= 0 ? mem_printf("MPI Rank %lld", (long long)q->rank)
					  : mem_printf("Process %d", q->node);

		DEFINE(w, LocationGroup, p, string_id(w, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
		       node[p], OTF2_UNDEFINED_LOCATION_GROUP);
		for (size_t i = 0; i < q->meta_n; i++)
			define_property(w, p, q->meta[i].name, q->meta[i].value);
		define_threads(w, p);
		if (q->no_pe && !trace_process_meta(q, TAU_META_NOT_A_PE))
			define_property(w, p, TAU_META_NOT_A_PE, "yes");
		free(name);
		if (q->node != q->rank && (t->process_n > 1 || q->node > 0)) {
			name = mem_printf("%d", q->node);
			define_property(w, p, TAU_META_PROCESS_NUMBER, name);
			free(name);
		}
	}
	for (uint32_t s = 0; s < t->stream_n; s++)
		if (w->used[s])
			DEFINE(w, Location, s, string_id(w, t->stream[s].label),
			       location_type(&t->stream[s]),
			       w->count[s], t->stream[s].process);
}

/* A handle for each file and interface. */
static void define_files(struct writer *w)
{
	uint32_t mpi = 0;

	for (uint32_t i = 0; i < w->handle_n; i++)
		mpi |= w->handle[i] & 1;
	if (w->handle_n)
		DEFINE(w, IoParadigm, 0, string_id(w, "POSIX"), string_id(w, "POSIX I/O"),
		       OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL,
		       NULL);
	if (mpi)
		DEFINE(w, IoParadigm, 1, string_id(w, ARCHIVE_MPI_IO), string_id(w, ARCHIVE_MPI_IO),
		       OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL,
		       NULL);
	for (uint32_t i = 0; i < w->handle_n; i++) {
		uint32_t name = string_id(w, w->trace->event[w->handle[i] >> 1].name);
		uint32_t file = map_get(&w->handle_of, w->handle[i] ^ 1);

		if (file > i) {
			file = i;
			DEFINE(w, IoRegularFile, i, name, 0);
		}
		DEFINE(w, IoHandle, i, name, file, (uint32_t)(w->handle[i] & 1),
		       OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
	}
}

/* ---- communicators ---- */

/* A list of ranks or of locations. */
static void define_group(struct writer *w, uint32_t ref, OTF2_GroupType type,
			 const uint64_t *member, size_t n)
{
	DEFINE(w, Group, ref, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)n,
	       member);
}

void world_has(struct writer *w, int64_t rank)
{
	if (rank >= w->world && rank < WORLD_MOST)
		w->world = rank + 1;
}

/* All ranks that are there, that events name, or that communicators have: what readers look up. */
static size_t world_size(struct writer *w)
{
	const struct trace *t = w->trace;

	for (size_t p = 0; p < t->process_n; p++)
		world_has(w, t->process[p].node);
	for (size_t i = 0; i < t->comm_n; i++)
		for (size_t k = 0; k < t->comm[i].n; k++)
			world_has(w, t->comm[i].rank[k]);
	return (size_t)w->world;
}

/* Ranks count in the list of each process's first stream. Those that are not in the trace, as it
 * may be a part of a run, have one that nothing defines. */
static void define_world(struct writer *w)
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
	define_group(w, REF_GROUP_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, location, n);
	define_group(w, REF_GROUP_WORLD, OTF2_GROUP_TYPE_COMM_GROUP, rank, n);
	DEFINE(w, Comm, REF_COMM_WORLD, string_id(w, "MPI_COMM_WORLD"), REF_GROUP_WORLD,
	       OTF2_UNDEFINED_UINT32, 0);
	free(location);
	free(rank);
}

static void define_comms(struct writer *w)
{
	const struct trace *t = w->trace;

	define_world(w);
	for (uint32_t i = 0; i < t->comm_n; i++) {
		const struct trace_comm *c = &t->comm[i];
		uint64_t *member = mem_alloc((c->n + 1) * sizeof(*member));

		for (size_t k = 0; k < c->n; k++)
			member[k] = c->rank[k];
		define_group(w, REF_GROUP_WORLD + 1 + i, OTF2_GROUP_TYPE_COMM_GROUP, member, c->n);
		free(member);
	}
	for (uint32_t i = 0; i < t->comm_n; i++) {
		uint32_t name = string_id(w, t->comm[i].name);
		uint32_t group = REF_GROUP_WORLD + 1 + i, other = t->comm[i].inter;

		if (!other)
			DEFINE(w, Comm, w->comm[i], name, group, REF_COMM_WORLD, 0);
		else if (!trace_comm_second(t->comm, i))
			DEFINE(w, InterComm, w->comm[i], name, group, REF_GROUP_WORLD + other,
			       REF_COMM_WORLD, 0);
	}
	DEFINE(w, RmaWin, REF_WINDOW_WORLD, string_id(w, "memory of all"), REF_COMM_WORLD, 0);
	for (uint32_t i = 0; i < t->comm_n; i++)
		if (w->window[i])
			DEFINE(w, RmaWin, window_ref(w->comm[i]), string_id(w, t->comm[i].name),
			       w->comm[i], 0);
}

/* ---- files ---- */

/* Definitions are chunks, too: one must hold the longest list of ranks, and the longest text. All
 * texts are known by then. */
static size_t definition_chunk(struct writer *w)
{
	size_t n = world_size(w), size = OTF2_CHUNK_SIZE_MIN, most, comm_most = 0;

	/* Numbers below 2^24 take four bytes. */
	most = n * (n + w->trace->stream_n < 1 << 24 ? 4 : 9);
	for (size_t i = 0; i < w->trace->comm_n; i++)
		comm_most = w->trace->comm[i].n > comm_most ? w->trace->comm[i].n : comm_most;
	most = 5 * comm_most > most ? 5 * comm_most : most;
	for (uint32_t i = 0; i < w->string.name_n; i++) {
		size_t text = strnlen(w->string.name[i], TEXT_MOST);

		most = text > most ? text : most;
	}
	while (size < most + 64 && size < OTF2_CHUNK_SIZE_MAX)
		size *= 2;
	return size;
}

static void define_rest(struct writer *w)
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

static void define_all(struct writer *w)
{
	DEFINE(w, ClockProperties, 1000000000, 0, (uint64_t)w->last,
	       w->trace->wall > 0 ? (uint64_t)w->trace->wall : OTF2_UNDEFINED_UINT64);
	define_strings(w);
	define_rest(w);
}

/* A file for each location; it may be empty. */
static OTF2_ErrorCode define_locals(struct writer *w)
{
	OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(w->archive);

	for (uint32_t s = 0; s < w->trace->stream_n && !code; s++)
		if (w->used[s])
			code = OTF2_Archive_CloseDefWriter(
				w->archive, OTF2_Archive_GetDefWriter(w->archive, s));
	return code ? code : OTF2_Archive_CloseDefFiles(w->archive);
}

OTF2_ErrorCode write_definitions(struct writer *w)
{
	OTF2_ErrorCode code;

	define_rest(w);
	w->definition_chunk = definition_chunk(w);
	code = OTF2_Archive_SetDefChunkSize(w->archive, w->definition_chunk);
	if (!code)
		code = define_locals(w);
	if (code)
		return code;
	w->definitions = OTF2_Archive_GetGlobalDefWriter(w->archive);
	if (!w->definitions)
		return OTF2_ERROR_FILE_CAN_NOT_OPEN;
	define_all(w);
	if (w->failed)
		return w->failed;
	return OTF2_Archive_CloseGlobalDefWriter(w->archive, w->definitions);
}
