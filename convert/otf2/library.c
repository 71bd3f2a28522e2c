/* library.c: opens archives and their files with the OTF2 library, which is to print nothing
 * itself. */
#include <stdio.h>
#include <string.h>

#include "convert/otf2/archive.h"
#include "convert/otf2/writer.h"

#define SAID 300

/* The first error is the cause; later ones only report which calls failed because of it. */
struct said {
	char text[SAID];
};

static OTF2_ErrorCode keep_first(void *to, const char *file, uint64_t line, const char *function,
				 OTF2_ErrorCode code, const char *format, va_list args)
{
	struct said *s = to;
	size_t n;

	(void)file, (void)line, (void)function;
	if (!s || s->text[0])
		return code;
	n = (size_t)snprintf(s->text, SAID, "%s: ", OTF2_Error_GetDescription(code));
	if (n < SAID)
		vsnprintf(s->text + n, SAID - n, format, args);
	return code;
}

void archive_quiet(void)
{
	OTF2_Error_RegisterCallback(keep_first, NULL);
}

OTF2_Reader *archive_reader_open(const char *anchor, struct error *e)
{
	struct said said = {{0}};
	OTF2_Reader *r;

	/* Threads that read the streams of an open archive leave alone what the library has once. */
	if (e)
		OTF2_Error_RegisterCallback(keep_first, &said);
	r = OTF2_Reader_Open(anchor);
	if (e)
		archive_quiet();
	if (!r && e)
		error_set(e, ERROR_INPUT, "%s: the OTF2 library cannot read it: %s", anchor,
			  said.text);
	if (r)
		OTF2_Reader_SetSerialCollectiveCallbacks(r);
	return r;
}

static OTF2_CallbackCode on_table(void *to, OTF2_MappingType type, const OTF2_IdMap *map)
{
	struct archive_location *l = to;

	(void)type, (void)map;
	l->mapped = 1;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_offset(void *to, OTF2_TimeStamp time, int64_t offset, double deviation)
{
	struct archive_location *l = to;

	(void)time, (void)offset, (void)deviation;
	l->shifted = 1;
	return OTF2_CALLBACK_SUCCESS;
}

/* The location learns what its definitions are of. */
static void learn(OTF2_Reader *r, OTF2_DefReader *d, struct archive_location *l)
{
	OTF2_DefReaderCallbacks *on = OTF2_DefReaderCallbacks_New();

	OTF2_DefReaderCallbacks_SetMappingTableCallback(on, on_table);
	OTF2_DefReaderCallbacks_SetClockOffsetCallback(on, on_offset);
	OTF2_Reader_RegisterDefCallbacks(r, d, on, l);
	OTF2_DefReaderCallbacks_Delete(on);
}

const char *archive_reader_local(OTF2_Reader *r, const struct archive_location *l,
				 struct archive_location *learning)
{
	OTF2_DefReader *d;
	OTF2_ErrorCode code;
	uint64_t got;

	OTF2_Reader_SelectLocation(r, l->id);
	d = OTF2_Reader_GetDefReader(r, l->id);
	if (!d)
		return "it cannot be read";
	if (learning)
		learn(r, d, learning);
	code = OTF2_Reader_ReadLocalDefinitions(r, d, l->definitions, &got);
	OTF2_Reader_CloseDefReader(r, d);
	return code                   ? OTF2_Error_GetDescription(code)
	       : got < l->definitions ? "it is cut short"
				      : NULL;
}

OTF2_EvtReader *archive_reader_events(OTF2_Reader *r, const struct archive_location *l)
{
	OTF2_EvtReader *events;

	OTF2_Reader_SelectLocation(r, l->id);
	events = OTF2_Reader_GetEvtReader(r, l->id);
	/* Of each event the library looks up whether there are any. */
	if (events && !l->mapped)
		OTF2_EvtReader_ApplyMappingTables(events, false);
	if (events && !l->shifted)
		OTF2_EvtReader_ApplyClockOffsets(events, false);
	return events;
}

char *archive_path(const struct archive *run, const uint64_t *location, const char *suffix)
{
	size_t n = strlen(run->anchor),
	       stem = n > 5 && !strcmp(run->anchor + n - 5, ".otf2") ? n - 5 : n;

	if (!location)
		return mem_printf("%.*s%s", (int)stem, run->anchor, suffix);
	return mem_printf("%.*s/%llu%s", (int)stem, run->anchor, (unsigned long long)*location,
			  suffix);
}
