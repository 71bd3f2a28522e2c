/* frame.c: heads of frames. */
#include "cmd/monitor/frame.h"

#include "convert/io/bytes.h"

#define MAGIC	     0x6c756174u /* "taul" */
#define HEAD	     16		 /* magic and kind, 4 bytes each; length, 8 bytes */
#define PAYLOAD_MOST (UINT64_C(1) << 30)

void frame_put(struct buffer *b, enum frame_kind kind, const void *payload, size_t n)
{
	const uint32_t what[] = {MAGIC, (uint32_t)kind};
	uint64_t length = n;

	put(b, what, sizeof(what));
	put(b, &length, sizeof(length));
	put(b, payload, n);
}

int frame_get(const unsigned char *v, size_t n, struct monitor_frame *out)
{
	struct bytes b = bytes_of(v, n);
	uint64_t what, length;

	if (n < HEAD)
		return 0;
	what = bytes_u64(&b);
	length = bytes_u64(&b);
	if ((uint32_t)what != MAGIC || what >> 32 < FRAME_START || what >> 32 >= FRAME_KINDS ||
	    length > PAYLOAD_MOST)
		return -1;
	if (length > n - HEAD)
		return 0;
	*out = (struct monitor_frame){(enum frame_kind)(what >> 32), b.p, (size_t)length};
	return 1;
}

size_t frame_size(const struct monitor_frame *f)
{
	return HEAD + f->n;
}

void frame_drop(struct buffer *b, size_t n)
{
	b->v_n -= n;
	memmove(b->v, b->v + n, b->v_n);
}
