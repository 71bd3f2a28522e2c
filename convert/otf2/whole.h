/*
 * whole.h: counts the records of a file of an OTF2 archive that are whole. The OTF2 library does
 * not check how long a file is: in one that was cut short it continues to read what is left in its
 * buffer. Therefore at most this number of records is read.
 */
#ifndef OTF2_WHOLE_H
#define OTF2_WHOLE_H

#include <stdint.h>

struct whole_file {
	uint64_t size;		/* bytes */
	uint64_t records;
	int ends;		/* the file has an end; otherwise it was cut short */
};

/*
 * Of a file of events: reads only its last chunk, which contains the number of events before it. chunk: bytes of each chunk. 0,
 * or -1: the file cannot be read, or chunk is 0. Of a file that does not consist of chunks, records is 0.
 */
int whole_events(const char *path, uint64_t chunk, struct whole_file *out);
/* The same of a file of definitions: reads all of its chunks. */
int whole_definitions(const char *path, uint64_t chunk, struct whole_file *out);

#endif
