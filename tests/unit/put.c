/* put.c: the bytes of a chunk and of an index, and the end of what is whole in a live chunk. */
#include "convert/io/deflate.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_load.h"
#include "convert/native/file/native_out.h"
#include "convert/native/file/native_put.h"
#include "convert/native/live/native_whole.h"
#include "tap.h"

static void test_chunk(void)
{
	struct tau_chunk_header h = {.magic = TAU_CHUNK_MAGIC,
				     .kind = TAU_CHUNK_EVENTS,
				     .codec = TAU_CODEC_DEFLATE,
				     .seq = 3,
				     .first_tick = 5,
				     .last_tick = 7};
	struct tau_chunk_header read;
	struct buffer column[TAU_COLUMNS] = {{0}}, out = {0};
	struct deflater *d = deflater_new();

	for (int i = 0; i < 1000; i++)
		put_byte(&column[TAU_DEFS], 'a');
	put_byte(&column[TAU_ARGS], 1);
	put_byte(&out, 'x');
	native_put_chunk(&out, d, &h, column);
	memcpy(&read, out.v + 1, sizeof(read));
	ok(!memcmp(&read, &h, sizeof(h)) && !native_header_wrong(&read, 3, TAU_CHUNK_EVENTS),
	   "a chunk is appended with a header that holds");
	ok(read.raw[TAU_DEFS] == 1000 && read.stored[TAU_DEFS] < 100 && read.stored[TAU_ARGS] == 1,
	   "columns are deflated where that is shorter");
	ok(out.v_n == 1 + native_header_stored(&read) &&
		   read.payload_crc == native_crc(out.v + 1 + sizeof(h), out.v_n - 1 - sizeof(h)),
	   "the checksum is that of the columns");
	deflater_free(d);
	free(column[TAU_DEFS].v);
	free(column[TAU_ARGS].v);
	free(out.v);
}

static void test_index(void)
{
	struct tau_index_entry entry = {.offset = 64, .records = 9};
	struct tau_chunk_header h;
	struct tau_trailer t;
	struct buffer out = {0}, entries = {0};

	put(&entries, &entry, sizeof(entry));
	native_put_index(&out, &entries,
			 (struct tau_trailer){.index_offset = 400,
					      .records = 9,
					      .chunks = 1,
					      .closer = TAU_CLOSER_STOPPED,
					      .error = 28});
	memcpy(&h, out.v, sizeof(h));
	memcpy(&t, out.v + out.v_n - sizeof(t), sizeof(t));
	ok(!native_header_wrong(&h, 1, TAU_CHUNK_INDEX) && native_header_stored(&h) == out.v_n,
	   "an index is a chunk");
	ok(!memcmp(t.magic, TAU_TRAILER_MAGIC, 8) &&
		   t.crc == native_crc(&t, offsetof(struct tau_trailer, crc)) &&
		   t.closer == TAU_CLOSER_STOPPED && t.error == 28 && t.index_offset == 400,
	   "and ends with the trailer");
	free(out.v);
	free(entries.v);
}

static void column_set(struct native_columns *c, int i, const void *bytes, size_t n)
{
	native_column_reserve(c, i, n);
	memcpy(c->data[i], bytes, n);
}

static void test_whole(void)
{
	/* An enter, a value of 2 bytes 3 ticks later, a long time; the fields of a fourth record are cut. */
	static const uint16_t record[] = {1, TAU_TOKEN_REGION, 3, TAU_REC_VALUE, TAU_TIME_LONG, 0,
					  1, TAU_REC_VALUE};
	static const unsigned char args[] = {0, 2, 1, 2, 0x80, 1, 2, 1};
	static const unsigned char defs[] = {TAU_DEF_META, 2, 0, 0, TAU_DEF_META, 9, 0};
	struct native_columns c = {0};
	uint64_t tick = 100;

	column_set(&c, TAU_TIMES, record, sizeof(record));
	column_set(&c, TAU_ARGS, args, sizeof(args));
	column_set(&c, TAU_DEFS, defs, sizeof(defs));
	ok(!native_whole_keep(&c, 0, &tick) && c.length[TAU_TIMES] == 12 && c.length[TAU_ARGS] == 6 &&
		   tick == 232,
	   "a live chunk ends with its last whole record");
	ok(c.length[TAU_DEFS] == 4, "and its last whole definition");
	column_set(&c, TAU_ARGS, "\1", 1);
	ok(native_whole_keep(&c, 0, &tick) == -1 && c.length[TAU_TIMES] == 12,
	   "a damaged snapshot is refused");
	native_columns_release(&c);
}

int main(void)
{
	test_chunk();
	test_index();
	test_whole();
	return tap_end();
}
