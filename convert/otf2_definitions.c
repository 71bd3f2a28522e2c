/* otf2_definitions.c: goes through a file of definitions, the global ones or those of a location. */
#include "otf2.h"

/* The records of one chunk. 0: the next chunk follows, 1: the file ends, as *wrong says if it does not end well. */
static int take_chunk(struct otf2_definitions *d, struct otf2_bytes b, const char **wrong)
{
	struct otf2_fields f;

	for (;;) {
		unsigned kind = (unsigned)otf2_number(&b, 1);
		const struct otf2_record *r = &d->table[kind];
		struct otf2_bytes body;

		d->offset = otf2_offset(&d->chunks, b.p) - !b.bad;
		if (b.bad)
			*wrong = "it is cut short";
		if (b.bad || kind == OTF2_END_FILE)
			return 1;
		if (kind == OTF2_END_CHUNK)
			return 0;
		body = otf2_body(&b);
		if (b.bad) {
			*wrong = "a record is cut short";
			return 1;
		}
		if (!r->name)
			continue;
		*wrong = otf2_fields(&body, r->letters, NULL, &f) ? "a record is damaged"
								   : d->take(d->to, kind, &f);
		if (*wrong)
			return 1;
	}
}

const char *otf2_definitions(struct otf2_definitions *d, struct otf2_file *f, uint64_t chunk)
{
	const char *wrong = NULL;
	struct otf2_bytes b;
	int code;

	d->chunks = (struct otf2_chunks){.file = f, .size = chunk};
	while ((code = otf2_chunk_next(&d->chunks, &b)) > 0)
		if (take_chunk(d, b, &wrong))
			break;
	if (code <= 0) {
		d->offset = d->chunks.at;
		wrong = code < 0 ? d->chunks.wrong : "it is cut short";
	}
	otf2_chunks_release(&d->chunks);
	return wrong;
}
