/*
 * otf2_write.c: writes a trace of any format as an OTF2 archive.
 *
 * Times are ns, the clock has 10^9 ticks a second and begins with the run. The life of a thread is
 * the region
 * ".TAU application". Values are metrics of one member each; what OTF2 has no place for stands in
 * descriptions, from which otf2_define.c takes it back: "tau:GROUPS" of a region, "tau:context" of
 * an event, "tau:type OWNER SIZE" of a type of objects, "tau:alloc TYPE", "tau:free TYPE",
 * "tau:retype FROM TO" of the metrics that stand for memory.
 */
#include <stdio.h>
#include <string.h>

#include "clip.h"
#include <otf2/otf2.h>

#include "../analyze/map.h"
#include "trace_write.h"

#define OTF2_CREATOR "tau-convert"
#define OTF2_ROOT ".TAU application"
#define OTF2_OURS "tau:"
#define EVENT_CHUNK      (1 << 20)
#define DEFINITION_CHUNK (1 << 22)

static OTF2_ErrorCode otf2_silent(void *to, const char *file, uint64_t line, const char *function,OTF2_ErrorCode code, const char *format, va_list args)
{(void)to;(void)file;(void)line;(void)function;(void)format;(void)args;return code;}

struct retype {
	uint32_t from, to;
};

struct writer {
	struct trace *trace;
	struct write_options *o;
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	struct names string; /* id 0 is "" */
	uint32_t string_written;
	uint64_t *events;      /* by stream */
	unsigned char *used;   /* streams that have events */
	struct retype *retype; /* pairs of types in use */
	size_t retype_n, retype_cap;
	struct map retype_of;
	uint32_t *open;
	size_t open_n, open_cap;
	int64_t last; /* ns */
	int failed;   /* the library refused something */
};

/* References: communicators, groups and windows. */
enum { COMM_WORLD = 0, GROUP_LOCATIONS = 0, GROUP_WORLD = 1, WINDOW_WORLD = 0 };

static void must(struct writer *w, OTF2_ErrorCode code)
{
	w->failed |= code != OTF2_SUCCESS;
}

/* ---- events ---- */

static OTF2_FlushType on_flush(void *to, OTF2_FileType type, OTF2_LocationRef location,
			       void *caller, bool final)
{
	(void)to;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

/* Without a time after a flush the library records none. */
static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = on_flush,
						    .otf2_post_flush = NULL};

/* Metrics: events of the trace, then memory: alloc and free of each type, then pairs of types. */
static OTF2_MetricRef metric_memory(const struct writer *w, uint32_t type, int release)
{
	return (OTF2_MetricRef)(w->trace->event_n + 2 * type + (unsigned)release);
}

static OTF2_MetricRef metric_retype(struct writer *w, uint32_t from, uint32_t to)
{
	uint64_t key = (uint64_t)from << 32 | to;
	uint32_t at = map_get(&w->retype_of, key);

	if (at == MAP_NONE) {
		at = (uint32_t)w->retype_n;
		map_set(&w->retype_of, key, at);
		*array_add(w, retype) = (struct retype){from, to};
	}
	return (OTF2_MetricRef)(w->trace->event_n + 2 * w->trace->memtype_n + at);
}

static void put_metric(struct writer *w, OTF2_EvtWriter *out, uint64_t time, OTF2_MetricRef metric,
		       double value)
{
	OTF2_Type type = OTF2_TYPE_DOUBLE;
	OTF2_MetricValue v = {.floating_point = value};

	must(w, OTF2_EvtWriter_Metric(out, NULL, time, metric, 1, &type, &v));
}

static const OTF2_CollectiveOp coll_op[COLLS] = {
	[COLL_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
	[COLL_BROADCAST] = OTF2_COLLECTIVE_OP_BCAST,
	[COLL_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
	[COLL_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
	[COLL_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
	[COLL_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
	[COLL_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
	[COLL_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
	[COLL_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
	[COLL_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
	[COLL_OTHER] = OTF2_COLLECTIVE_OP_CREATE_HANDLE,
};

/* Communicators of the trace follow the world. */
static OTF2_CommRef comm_ref(const struct writer *w, uint32_t comm)
{
	return comm < w->trace->comm_n ? comm + 1 : COMM_WORLD;
}

/* The rank that a world rank has in a communicator; the reader turns it back. */
static uint32_t local_rank(const struct writer *w, uint32_t comm, int64_t rank)
{
	const struct trace_comm *c = comm < w->trace->comm_n ? &w->trace->comm[comm] : NULL;

	for (size_t i = 0; c && i < c->n; i++)
		if (c->rank[i] == rank)
			return (uint32_t)i;
	return (uint32_t)rank;
}

static void put_message(struct writer *w, OTF2_EvtWriter *out, uint64_t time,
			const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	uint32_t rank = local_rank(w, a->comm, a->peer);

	if (ev->event.kind == EVENT_SEND)
		must(w, OTF2_EvtWriter_MpiSend(out, NULL, time, rank, comm_ref(w, a->comm),
					       (uint32_t)a->tag, a->bytes));
	else
		must(w, OTF2_EvtWriter_MpiRecv(out, NULL, time, rank, comm_ref(w, a->comm),
					       (uint32_t)a->tag, a->bytes));
}

static void put_collective(struct writer *w, OTF2_EvtWriter *out, uint64_t time,
			   const struct event_args *a)
{
	must(w, OTF2_EvtWriter_MpiCollectiveBegin(out, NULL, time));
	must(w, OTF2_EvtWriter_MpiCollectiveEnd(
			out, NULL, time, coll_op[a->op], comm_ref(w, a->comm),
			a->peer < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)a->peer, a->bytes,
			a->received));
}

static void put_rma(struct writer *w, OTF2_EvtWriter *out, uint64_t time,
		    const struct event_args *a)
{
	uint32_t rank = (uint32_t)a->peer;

	if (a->op == RMA_PUT)
		must(w, OTF2_EvtWriter_RmaPut(out, NULL, time, WINDOW_WORLD, rank, a->bytes, 0));
	else if (a->op == RMA_GET)
		must(w, OTF2_EvtWriter_RmaGet(out, NULL, time, WINDOW_WORLD, rank, a->bytes, 0));
	else
		must(w, OTF2_EvtWriter_RmaAtomic(out, NULL, time, WINDOW_WORLD, rank,
						 OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, a->bytes,
						 a->bytes, 0));
}

static void put_leave(struct writer *w, OTF2_EvtWriter *out, uint64_t time)
{
	if (w->open_n)
		must(w, OTF2_EvtWriter_Leave(out, NULL, time, w->open[--w->open_n]));
}

static void put_enter(struct writer *w, OTF2_EvtWriter *out, uint64_t time, uint32_t region)
{
	must(w, OTF2_EvtWriter_Enter(out, NULL, time, region));
	*array_add(w, open) = region;
}

static void take(struct writer *w, OTF2_EvtWriter *out, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	uint64_t time = (uint64_t)(ev->event.time > 0 ? ev->event.time : 0);

	switch (ev->event.kind) {
	case EVENT_ENTER:
		put_enter(w, out, time, ev->event.ref);
		break;
	case EVENT_THREAD_BEGIN:
		put_enter(w, out, time, (uint32_t)w->trace->region_n);
		break;
	case EVENT_LEAVE:
	case EVENT_THREAD_END:
		put_leave(w, out, time);
		break;
	case EVENT_VALUE:
		put_metric(w, out, time, a->event, a->value);
		break;
	case EVENT_SEND:
	case EVENT_RECV:
		put_message(w, out, time, ev);
		break;
	case EVENT_COLL:
		put_collective(w, out, time, a);
		break;
	case EVENT_RMA:
		put_rma(w, out, time, a);
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
		put_metric(w, out, time, metric_memory(w, a->type, ev->event.kind == EVENT_FREE),
			   (double)a->bytes);
		break;
	case EVENT_RETYPE:
		put_metric(w, out, time, metric_retype(w, a->type, a->to), (double)a->bytes);
		break;
	case EVENT_OFF:
	case EVENT_ON:
		must(w, OTF2_EvtWriter_MeasurementOnOff(out, NULL, time,
							ev->event.kind == EVENT_ON
								? OTF2_MEASUREMENT_ON
								: OTF2_MEASUREMENT_OFF));
		break;
	case EVENT_FOLD:
		w->o->loss[LOSS_FOLD]++;
		return;
	case EVENT_SAMPLE:
		w->o->loss[LOSS_SAMPLE]++;
		return;
	default:
		return;
	}
	w->last = ev->event.time > w->last ? ev->event.time : w->last;
}

static int write_stream(struct writer *w, uint32_t stream, struct window_span span, struct error *e)
{
	OTF2_EvtWriter *out = NULL;
	struct clip_event ev;
	struct clip c;
	uint64_t n = 0;
	int code = clip_open(&c, w->trace, stream, span, 1, e);

	w->open_n = 0;
	if (code >= 0 && c.used) {
		out = OTF2_Archive_GetEvtWriter(w->archive, stream);
		w->failed |= !out;
		w->used[stream] = 1;
		w->o->streams++;
	}
	w->o->loss[LOSS_OPEN] += c.enters;
	while (out && (code = clip_next(&c, &ev, e)) > 0) {
		w->o->loss[LOSS_METRIC] +=
			c.batch && c.batch->metric && event_has_metrics(ev.event.kind)
				? w->trace->metric_n
				: 0;
		take(w, out, &ev);
	}
	if (out) {
		OTF2_EvtWriter_GetNumberOfEvents(out, &n);
		must(w, OTF2_Archive_CloseEvtWriter(w->archive, out));
	}
	w->events[stream] = n;
	clip_close(&c);
	return code < 0 ? code : 0;
}

/* ---- definitions ---- */

static OTF2_StringRef text(struct writer *w, const char *s)
{
	uint32_t id = names_add(&w->string, s ? s : "", s ? strlen(s) : 0);

	for (; w->string_written < w->string.name_n; w->string_written++)
		must(w, OTF2_GlobalDefWriter_WriteString(w->defs, w->string_written,
							 w->string.name[w->string_written]));
	return id;
}

static OTF2_Paradigm paradigm_of(const char *groups)
{
	static const struct {
		const char *group;
		OTF2_Paradigm paradigm;
	} known[] = {{"MPI", OTF2_PARADIGM_MPI},
		     {"SHMEM", OTF2_PARADIGM_SHMEM},
		     {"OPENMP", OTF2_PARADIGM_OPENMP},
		     {"PTHREAD", OTF2_PARADIGM_PTHREAD},
		     {"TAU_UTILITY", OTF2_PARADIGM_MEASUREMENT_SYSTEM}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(groups, known[i].group, strlen(known[i].group)))
			return known[i].paradigm;
	return OTF2_PARADIGM_USER;
}

static void define_regions(struct writer *w)
{
	const struct trace *t = w->trace;

	for (uint32_t i = 0; i <= t->region_n; i++) {
		const struct trace_region root = {.name = OTF2_ROOT, .groups = "TAU_UTILITY"};
		const struct trace_region *r = i < t->region_n ? &t->region[i] : &root;
		char *groups = mem_printf(OTF2_OURS "%s", r->groups);
		OTF2_StringRef name = text(w, r->name), about = text(w, groups);
		OTF2_StringRef file = r->file ? text(w, r->file) : OTF2_UNDEFINED_STRING;

		must(w, OTF2_GlobalDefWriter_WriteRegion(
				w->defs, i, name, name, about,
				i < t->region_n ? OTF2_REGION_ROLE_FUNCTION
						: OTF2_REGION_ROLE_ARTIFICIAL,
				paradigm_of(r->groups), OTF2_REGION_FLAG_NONE, file, r->line, 0));
		free(groups);
	}
}

/* A metric of one member with the same reference. */
static void define_metric(struct writer *w, uint32_t ref, const char *name, const char *about,
			  OTF2_MetricMode mode, const char *unit, int class)
{
	must(w, OTF2_GlobalDefWriter_WriteMetricMember(
			w->defs, ref, text(w, name), text(w, about), OTF2_METRIC_TYPE_USER, mode,
			OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, text(w, unit)));
	if (class)
		must(w, OTF2_GlobalDefWriter_WriteMetricClass(w->defs, ref, 1, &ref,
							      OTF2_METRIC_ASYNCHRONOUS,
							      OTF2_RECORDER_KIND_UNKNOWN));
}

static void define_memory(struct writer *w, uint32_t ref, const char *verb, const char *name,
			  uint32_t type, uint32_t to)
{
	char *shown = mem_printf("%s %s", verb, name),
	     *about = mem_printf(OTF2_OURS "%s %u %u", verb, type, to);

	define_metric(w, ref, shown, about, OTF2_METRIC_ABSOLUTE_POINT, "bytes", 1);
	free(shown);
	free(about);
}

static void define_metrics(struct writer *w)
{
	const struct trace *t = w->trace;
	uint32_t ref = 0;

	for (size_t i = 0; i < t->event_n; i++)
		define_metric(w, ref++, t->event[i].name,
			      t->event[i].flags & EVENT_FLAG_CONTEXT ? OTF2_OURS "context" : "",
			      t->event[i].flags & EVENT_FLAG_MONOTONIC
				      ? OTF2_METRIC_ACCUMULATED_START
				      : OTF2_METRIC_ABSOLUTE_POINT,
			      "", 1);
	for (uint32_t i = 0; i < t->memtype_n; i++) {
		define_memory(w, ref++, "alloc", t->memtype[i].name, i, 0);
		define_memory(w, ref++, "free", t->memtype[i].name, i, 0);
	}
	for (size_t i = 0; i < w->retype_n; i++)
		define_memory(w, ref++, "retype", t->memtype[w->retype[i].from].name,
			      w->retype[i].from, w->retype[i].to);
	for (size_t i = 0; i < t->memtype_n; i++) {
		const struct trace_memtype *m = &t->memtype[i];
		char *about = mem_printf(OTF2_OURS "type %lld %u",
					 m->owner == TRACE_NONE ? -1ll : (long long)m->owner,
					 m->object_size);

		define_metric(w, ref++, m->name, about, OTF2_METRIC_ABSOLUTE_POINT, "bytes", 0);
		free(about);
	}
}

/* Processes and streams of which something was written; hosts are nodes of the system. */
static void define_places(struct writer *w)
{
	const struct trace *t = w->trace;
	struct names host = {0};

	must(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, 0, text(w, "machine"),
							 text(w, "machine"),
							 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t p = 0; p < t->process_n; p++) {
		const struct trace_process *q = &t->process[p];
		const char *on = q->host && *q->host ? q->host : "unknown";
		size_t before = host.name_n;
		uint32_t node = names_add(&host, on, strlen(on)) + 1;
		char *name = q->rank >= 0 ? mem_printf("MPI Rank %lld", (long long)q->rank)
					  : mem_printf("Process %d", q->node);

		if (host.name_n > before)
			must(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, node, text(w, on),
									 text(w, "node"), 0));
		must(w, OTF2_GlobalDefWriter_WriteLocationGroup(
				w->defs, p, text(w, name), OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
				OTF2_UNDEFINED_LOCATION_GROUP));
		for (size_t i = 0; i < q->meta_n; i++) {
			OTF2_AttributeValue v = {.stringRef = text(w, q->meta[i].value)};

			must(w, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
					w->defs, p, text(w, q->meta[i].name), OTF2_TYPE_STRING, v));
		}
		free(name);
	}
	for (uint32_t s = 0; s < t->stream_n; s++) {
		if (w->used[s])
			must(w, OTF2_GlobalDefWriter_WriteLocation(
					w->defs, s, text(w, t->stream[s].label),
					OTF2_LOCATION_TYPE_CPU_THREAD, w->events[s],
					t->stream[s].process));
	}
	names_release(&host);
}

/* Ranks count in the list of each process's first stream, in order of rank where ranks are known.
 */
static void define_comms(struct writer *w)
{
	const struct trace *t = w->trace;
	uint64_t *location = mem_alloc((t->process_n + 1) * sizeof(*location)),
		 *rank = mem_alloc((t->process_n + 1) * 8);
	uint32_t n = 0;

	for (int64_t r = 0; n < t->process_n; r++) {
		uint32_t before = n;

		for (size_t p = 0; p < t->process_n; p++) {
			if (t->process[p].node != r || !t->process[p].stream_n)
				continue;
			location[n] = t->process[p].stream[0];
			rank[n] = n;
			n++;
			break;
		}
		if (n == before)
			break;
	}
	must(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, GROUP_LOCATIONS, text(w, ""),
						OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
						OTF2_GROUP_FLAG_NONE, n, location));
	must(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, GROUP_WORLD, text(w, ""),
						OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
						OTF2_GROUP_FLAG_NONE, n, rank));
	must(w,
	     OTF2_GlobalDefWriter_WriteComm(w->defs, COMM_WORLD, text(w, "MPI_COMM_WORLD"),
					    GROUP_WORLD, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	for (uint32_t i = 0; i < t->comm_n; i++) {
		const struct trace_comm *c = &t->comm[i];
		uint64_t *member = mem_alloc((c->n + 1) * sizeof(*member));

		for (size_t k = 0; k < c->n; k++)
			member[k] = c->rank[k];
		must(w,
		     OTF2_GlobalDefWriter_WriteGroup(w->defs, GROUP_WORLD + 1 + i, text(w, ""),
						     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
						     OTF2_GROUP_FLAG_NONE, (uint32_t)c->n, member));
		must(w, OTF2_GlobalDefWriter_WriteComm(w->defs, COMM_WORLD + 1 + i,
						       text(w, c->name), GROUP_WORLD + 1 + i,
						       COMM_WORLD, OTF2_COMM_FLAG_NONE));
		free(member);
	}
	must(w, OTF2_GlobalDefWriter_WriteRmaWin(w->defs, WINDOW_WORLD, text(w, "memory of all"),
						 COMM_WORLD, OTF2_RMA_WIN_FLAG_NONE));
	free(location);
	free(rank);
}

static void define_all(struct writer *w)
{
	w->defs = OTF2_Archive_GetGlobalDefWriter(w->archive);
	if (!w->defs) {
		w->failed = 1;
		return;
	}
	must(w, OTF2_GlobalDefWriter_WriteClockProperties(w->defs, 1000000000, 0, (uint64_t)w->last,
							  OTF2_UNDEFINED_TIMESTAMP));
	text(w, "");
	define_places(w);
	define_regions(w);
	define_metrics(w);
	define_comms(w);
	must(w, OTF2_Archive_CloseGlobalDefWriter(w->archive, w->defs));
}

/* The library wants a file of local definitions for each location; nothing needs to stand in it. */
static void define_local(struct writer *w)
{
	must(w, OTF2_Archive_OpenDefFiles(w->archive));
	for (uint32_t s = 0; s < w->trace->stream_n; s++) {
		OTF2_DefWriter *d = w->used[s] ? OTF2_Archive_GetDefWriter(w->archive, s) : NULL;

		if (d)
			must(w, OTF2_Archive_CloseDefWriter(w->archive, d));
	}
	must(w, OTF2_Archive_CloseDefFiles(w->archive));
}

static int write_all(struct writer *w, struct error *e)
{
	struct trace *t = w->trace;
	int code = 0;

	must(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush_callbacks, NULL));
	must(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
	must(w, OTF2_Archive_SetCreator(w->archive, OTF2_CREATOR));
	must(w, OTF2_Archive_OpenEvtFiles(w->archive));
	for (uint32_t s = 0; s < t->stream_n && !code && !w->failed; s++) {
		struct window_span span;

		if (write_span(t, w->o, s, &span))
			code = write_stream(w, s, span, e);
	}
	must(w, OTF2_Archive_CloseEvtFiles(w->archive));
	if (!code) {
		define_local(w);
		define_all(w);
	}
	return code;
}

static void writer_release(struct writer *w)
{
	names_release(&w->string);
	map_release(&w->retype_of);
	free(w->retype);
	free(w->events);
	free(w->used);
	free(w->open);
}

int otf2_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	struct writer w = {.trace = t, .o = o};
	char *folder = whole_folder(to, e);
	int code;

	if (!folder)
		return e->code;
	w.events = mem_alloc((t->stream_n + 1) * sizeof(*w.events));
	w.used = mem_alloc(t->stream_n + 1);
	OTF2_Error_RegisterCallback(otf2_silent, NULL);
	w.archive =
		OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK,
				  DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	code = w.archive ? write_all(&w, e) : 0;
	if (w.archive)
		must(&w, OTF2_Archive_Close(w.archive));
	if (!code && w.archive && !w.failed)
		code = write_nothing(t, o, e);
	if (!code && (!w.archive || w.failed))
		code = error_set(e, ERROR_SYSTEM, "%s: the OTF2 library cannot write the archive",
				 to);
	writer_release(&w);
	return whole_folder_close(folder, to, code, e) && !code ? e->code : code;
}
