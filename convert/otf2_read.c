/* otf2_read.c: opens an OTF2 archive and learns how long it is. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <otf2/OTF2_Pthread_Locks.h>

#include "formats.h"
#include "otf2_anchor.h"
#include "otf2.h"

#define PROBE 64 /* records from which the last time of a location is taken */

int otf2_fail(struct error *e, const char *path, const char *where, OTF2_ErrorCode code)
{
	return error_set(e, ERROR_INPUT, "%s: %s: %s", path, where,
			 OTF2_Error_GetDescription(code));
}

/* ---- opening ---- */

/* The library prints what it dislikes; the codes that it returns are what we report. */
OTF2_ErrorCode otf2_silent(void *to, const char *file, uint64_t line, const char *function,
			   OTF2_ErrorCode code, const char *format, va_list args)
{
	(void)to;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)args;
	return code;
}

/* ANCHOR without .otf2, then what is below it: the folder with two files for each location. */
static uint64_t file_size(const char *anchor, OTF2_LocationRef id, const char *suffix)
{
	char *path = mem_printf("%.*s/%llu%s", (int)(strlen(anchor) - 5), anchor,
				(unsigned long long)id, suffix);
	struct stat st;
	uint64_t size = stat(path, &st) ? 0 : (uint64_t)st.st_size;

	free(path);
	return size;
}

static OTF2_CallbackCode on_mapping(void *to, OTF2_MappingType type, const OTF2_IdMap *map)
{
	struct otf2_location *l = to;

	(void)type;
	(void)map;
	l->mapped = 1;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_offset(void *to, OTF2_TimeStamp time, int64_t offset, double deviation)
{
	struct otf2_location *l = to;

	(void)time;
	(void)offset;
	(void)deviation;
	l->shifted = 1;
	return OTF2_CALLBACK_SUCCESS;
}

/* Local definitions hold the tables that map ids and the offsets of clocks; the library applies
 * them itself. */
static void read_local(struct trace *t, struct otf2_run *run)
{
	OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
	size_t without = 0;

	OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_mapping);
	OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_offset);
	OTF2_Reader_OpenDefFiles(run->reader);
	for (size_t i = 0; i < run->location_n; i++) {
		OTF2_DefReader *d = OTF2_Reader_GetDefReader(run->reader, run->location[i].id);
		OTF2_ErrorCode code;
		uint64_t n;

		if (!d) {
			without++;
			continue;
		}
		OTF2_Reader_RegisterDefCallbacks(run->reader, d, callbacks, &run->location[i]);
		code = OTF2_Reader_ReadAllLocalDefinitions(run->reader, d, &n);
		if (code != OTF2_SUCCESS)
			trace_note(t, "%s: location %llu: its local definitions are damaged (%s)",
				   t->path, (unsigned long long)run->location[i].id,
				   OTF2_Error_GetDescription(code));
		OTF2_Reader_CloseDefReader(run->reader, d);
	}
	OTF2_Reader_CloseDefFiles(run->reader);
	OTF2_DefReaderCallbacks_Delete(callbacks);
	if (without)
		trace_note(t,
			   "%s: %zu location%s no local definitions; their ids are taken as global",
			   t->path, without, without > 1 ? "s have" : " has");
}

/* ---- how long it is ---- */

struct probe {
	uint64_t first, last;
	uint64_t n;
};

/*
 * Callbacks that only look at the time. One for each list of parameters would be needed; the ones
 * that a trace is likely to begin and end with do.
 */
static OTF2_CallbackCode probe_take(void *to, OTF2_TimeStamp time)
{
	struct probe *p = to;

	if (!p->n || time < p->first)
		p->first = time;
	if (!p->n || time > p->last)
		p->last = time;
	p->n++;
	return OTF2_CALLBACK_SUCCESS;
}

#define PROBE_CALLBACK(name, ...)                                                                  \
	static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time,              \
				      uint64_t position, void *to, OTF2_AttributeList *attributes, \
				      ##__VA_ARGS__)                                               \
	{                                                                                          \
		(void)location;                                                                    \
		(void)position;                                                                    \
		(void)attributes;                                                                  \
		return probe_take(to, time);                                                       \
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
PROBE_CALLBACK(probe_region, OTF2_RegionRef a)
PROBE_CALLBACK(probe_metric, OTF2_MetricRef a, uint8_t b, const OTF2_Type *c,
	       const OTF2_MetricValue *d)
PROBE_CALLBACK(probe_begin, OTF2_StringRef a, uint32_t b, const OTF2_StringRef *c)
PROBE_CALLBACK(probe_end, int64_t a)
PROBE_CALLBACK(probe_message, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d)
PROBE_CALLBACK(probe_request, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e)
PROBE_CALLBACK(probe_complete, uint64_t a)
PROBE_CALLBACK(probe_coll, OTF2_CollectiveOp a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e)
PROBE_CALLBACK(probe_thread, OTF2_CommRef a, uint64_t b)
PROBE_CALLBACK(probe_team, OTF2_CommRef a)
PROBE_CALLBACK(probe_mode, OTF2_MeasurementMode a)
#pragma GCC diagnostic pop

static OTF2_EvtReaderCallbacks *probe_callbacks(void)
{
	OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();

	OTF2_EvtReaderCallbacks_SetEnterCallback(c, probe_region);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(c, probe_region);
	OTF2_EvtReaderCallbacks_SetMetricCallback(c, probe_metric);
	OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, probe_begin);
	OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, probe_end);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, probe_message);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, probe_message);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, probe_request);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, probe_request);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, probe_complete);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, probe_coll);
	OTF2_EvtReaderCallbacks_SetThreadBeginCallback(c, probe_thread);
	OTF2_EvtReaderCallbacks_SetThreadEndCallback(c, probe_thread);
	OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(c, probe_team);
	OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(c, probe_team);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, probe_mode);
	return c;
}

/* The first and the last time of a location, from a few records at both ends. */
static void probe_location(struct otf2_run *run, struct otf2_location *l,
			   OTF2_EvtReaderCallbacks *callbacks, struct probe *p)
{
	OTF2_EvtReader *r = OTF2_Reader_GetEvtReader(run->reader, l->id);
	uint64_t n;

	if (!r) {
		l->missing = 1;
		return;
	}
	OTF2_Reader_RegisterEvtCallbacks(run->reader, r, callbacks, p);
	if (OTF2_Reader_ReadLocalEvents(run->reader, r, 4, &n) == OTF2_SUCCESS &&
	    l->events > PROBE && OTF2_EvtReader_Seek(r, l->events - PROBE) == OTF2_SUCCESS)
		OTF2_Reader_ReadLocalEvents(run->reader, r, PROBE * 2, &n);
	OTF2_Reader_CloseEvtReader(run->reader, r);
}

/*
 * The start of the run is what the definitions say, if the first event lies inside of what they
 * say; its end is what they say, or the last event that is later.
 */
static void measure(struct trace *t, struct otf2_run *run)
{
	OTF2_EvtReaderCallbacks *callbacks = probe_callbacks();
	struct probe all = {0};

	for (size_t i = 0; i < run->location_n; i++)
		probe_location(run, &run->location[i], callbacks, &all);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	if (run->base > all.first || all.first - run->base > run->length)
		run->base = all.first;
	t->end = otf2_time(run, run->base + run->length);
	if (all.n && otf2_time(run, all.last) > t->end)
		t->end = otf2_time(run, all.last);
	t->end++;
	for (size_t i = 0; i < t->stream_n; i++) {
		t->stream[i].last = t->end - 1;
		t->stream[i].records = run->location[i].events;
	}
	for (size_t i = 0; i < t->process_n; i++)
		t->process[i].end = t->end - 1;
}

static void note_missing(struct trace *t, struct otf2_run *run, const char *anchor)
{
	for (size_t i = 0; i < run->location_n; i++) {
		struct otf2_location *l = &run->location[i];

		l->bytes = file_size(anchor, l->id, ".evt");
		t->bytes_total += l->bytes;
		if (l->missing && l->events)
			trace_note(t, "%s: location %llu: its %llu events are missing", t->path,
				   (unsigned long long)l->id, (unsigned long long)l->events);
	}
}

static int is_ours(OTF2_Reader *r)
{
	char *creator = NULL;
	int is = OTF2_Reader_GetCreator(r, &creator) == OTF2_SUCCESS && creator &&
		 !strncmp(creator, OTF2_CREATOR, strlen(OTF2_CREATOR));

	free(creator);
	return is;
}

static int open_archive(struct trace *t, struct otf2_run *run, const char *anchor, struct error *e)
{
	int code;

	OTF2_Error_RegisterCallback(otf2_silent, NULL);
	run->reader = OTF2_Reader_Open(anchor);
	if (!run->reader)
		return error_set(e, ERROR_INPUT, "%s: the OTF2 library cannot open this archive",
				 anchor);
	OTF2_Reader_SetSerialCollectiveCallbacks(run->reader);
	OTF2_Pthread_Reader_SetLockingCallbacks(run->reader, NULL);
	run->ours = is_ours(run->reader);
	code = otf2_define(t, run, e);
	if (code)
		return code;
	for (size_t i = 0; i < run->location_n; i++)
		OTF2_Reader_SelectLocation(run->reader, run->location[i].id);
	OTF2_Reader_OpenEvtFiles(run->reader);
	read_local(t, run);
	run->callbacks = OTF2_EvtReaderCallbacks_New();
	otf2_callbacks(run->callbacks);
	measure(t, run);
	note_missing(t, run, anchor);
	return 0;
}

int otf2_open(const char *path, struct trace **out, struct error *e)
{
	struct trace *t;
	size_t n;
	char *anchor = otf2_anchor(path, &n);
	int code;

	if (n != 1) {
		free(anchor);
		return error_set(e, ERROR_INPUT,
				 n ? "%s: it holds %zu OTF2 archives; name the .otf2 file of one"
				   : "%s: this is no OTF2 archive (%zu .otf2 files)",
				 path, n);
	}
	t = trace_new(path, &otf2_ops);
	t->reader = mem_alloc(sizeof(struct otf2_run));
	code = open_archive(t, t->reader, anchor, e);
	free(anchor);
	if (code) {
		trace_free(t);
		return code;
	}
	trace_number(t);
	*out = t;
	return 0;
}
