/*
 * write_whole.c: verifies that the files of an archive that was written are whole. The library does not
 * report that the last chunk of a file could not be written.
 */
#include <inttypes.h>

#include "convert/otf2/whole.h"
#include "convert/otf2/writer.h"

/* Without events the file of events need not be there, nor that of definitions in any case. */
static int is_whole(const struct writer *w, uint32_t stream, int events)
{
	char *path = mem_printf("%s/traces/%" PRIu32 ".%s", w->folder, stream,
				events ? "evt" : "def");
	struct whole_file f;
	int missing = events ? whole_events(path, OTF2_CHUNK_SIZE_EVENTS_DEFAULT, &f)
			     : whole_definitions(path, w->definition_chunk, &f);

	free(path);
	return missing ? !events || !w->count[stream] : f.ends;
}

int write_whole(const struct writer *w)
{
	char *path = mem_printf("%s/traces.def", w->folder);
	struct whole_file f;
	int good = !whole_definitions(path, w->definition_chunk, &f) && f.ends;

	free(path);
	for (uint32_t s = 0; s < w->trace->stream_n && good; s++)
		good = !w->used[s] || (is_whole(w, s, 1) && is_whole(w, s, 0));
	return good;
}
