/* native_waits.c: the waits in the head of a live chunk become records at its end. */
#include "convert/native/live/native_waits.h"

#include "analyze/base/base.h"
#include "convert/io/bytes.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_out.h"
#include "convert/native/live/native_open.h"

/* Is a region open at the end of the chunk that was entered then? */
static int is_open(const struct native_columns *c, const struct tau_live_header *live,
		   uint64_t tick)
{
	struct native_open s = {0};
	int open = 0;

	native_open_find(c, live->first_tick, live->metrics, &s, NULL);
	for (size_t i = 0; i < s.of_n; i++)
		open |= s.of[i].tick == tick;
	free(s.of);
	return open;
}

static void record_add(struct native_columns *c, uint16_t kind, struct buffer *fields)
{
	const uint16_t record[2] = {0, kind};
	struct buffer args = {0};

	put_varint(&args, fields->v_n);
	put(&args, fields->v, fields->v_n);
	native_column_append(c, TAU_ARGS, c->length[TAU_ARGS], args.v, args.v_n);
	native_column_append(c, TAU_TIMES, c->length[TAU_TIMES], record, sizeof(record));
	free(fields->v);
	free(args.v);
}

static void wait_add(struct native_columns *c, const struct tau_live_wait *w, uint32_t rest)
{
	struct buffer fields = {0};

	put_varint(&fields, w->kind);
	put_varint(&fields, w->op);
	put_varint(&fields, w->comm);
	put_varint(&fields, rest);
	put_zigzag(&fields, w->peer);
	put_zigzag(&fields, w->tag);
	record_add(c, TAU_REC_WAITS, &fields);
}

static void file_add(struct native_columns *c, const struct tau_live_header *live)
{
	const struct tau_live_file *w = &live->file;
	struct buffer fields = {0};

	if (live->minor < 5 || !w->tick || !is_open(c, live, w->tick))
		return;
	put_varint(&fields, w->kind);
	put_varint(&fields, w->file);
	put_zigzag(&fields, w->holder);
	put_varint(&fields, w->first);
	put_varint(&fields, w->bytes);
	record_add(c, TAU_REC_WAITS_FILE, &fields);
}

void native_waits_add(struct native_columns *c, const struct tau_live_header *live)
{
	const struct tau_live_waits *w = &live->waits;

	if (live->header_size < sizeof(*live))
		return;
	file_add(c, live);
	if (!w->tick || w->n > TAU_LIVE_WAITS || !is_open(c, live, w->tick))
		return;
	wait_add(c,
		   &(struct tau_live_wait){.kind = w->kind == TAU_WAIT_ANY ? TAU_WAIT_ANY
									   : TAU_WAIT_ALL,
					   .op = TAU_COLL_OTHER},
		   w->rest);
	for (uint32_t i = 0; i < w->n; i++)
		wait_add(c, &w->of[i], 0);
}
