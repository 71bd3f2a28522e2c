/*
 * otf2_record.h: the kinds of records of an OTF2 archive as rows: which fields each has. So one function reads all of
 * them, and one shows them.
 */
#ifndef OTF2_RECORD_H
#define OTF2_RECORD_H

#include "../analyze/map.h"
#include "otf2_format.h"

/*
 * A letter for each field, in the order of the file, and their names, separated by blanks.
 *	b byte   u number of 32 bits   U number of 64 bits   i signed number   D double   T time, 8 bytes
 *	n node of the system   e member of a metric class   O i/o paradigm (byte)
 *	s text   a attribute   l location (64 bits)   r region   g group   m metric   c communicator   p parameter   w window
 *	o place in the source   x calling context   q interrupt generator   f file   h handle of a file   G location group:
 *	these are references that a table of the location may replace
 *	Z a text itself   V type (byte) and value   lists: M count (byte), then type and value each; S count, texts; N count, 64 bit
 *	numbers; E count (byte), members; I mode (byte) after a count of pairs or numbers
 */
struct otf2_record {
	const char *name, *letters, *names;
};
extern const struct otf2_record otf2_event_record[256], otf2_global_record[256], otf2_local_record[256];

/* Is this kind of event one compressed number without a length? */
static inline int otf2_is_single(unsigned kind)
{
	return kind == OTF2_ENTER || kind == OTF2_LEAVE || kind == OTF2_ISEND_COMPLETE || kind == OTF2_IRECV_REQUEST ||
	       kind == 20 || kind == 21 || kind == 24 || (kind >= 28 && kind <= 30);
}

/* One table of ids of a location. */
struct otf2_ids {
	uint32_t *dense;	/* local id -> global id; NULL: it is sparse, or there is none */
	size_t dense_n;
	struct map sparse;
};

static inline uint64_t otf2_global(const struct otf2_ids *t, uint64_t id)
{
	uint32_t to;

	if (t->dense)
		return id < t->dense_n ? t->dense[id] : id;
	to = map_get(&t->sparse, id);
	return to == MAP_NONE ? id : to;
}

#define OTF2_FIELDS 12
struct otf2_fields {
	uint64_t v[OTF2_FIELDS];	/* a list: its count; V: its type */
	unsigned n;			/* so many are there: later versions of the format added some */
	const char *text;		/* of a Z */
	struct otf2_bytes list;		/* behind the count, or the value of V */
};

/* Reads the fields of a record; tables NULL: references stand as they are. 0, or -1: it is damaged. */
int otf2_fields(struct otf2_bytes *b, const char *letters, const struct otf2_ids *tables, struct otf2_fields *out);

/* The value of a V or of an element of M: type out, bits as in the file. */
uint64_t otf2_value(struct otf2_bytes *b, unsigned type);

#endif
