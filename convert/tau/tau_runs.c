/* tau_runs.c: where the records of one stream are in a file that has those of several streams. */
#include "convert/tau/tau_runs.h"

#include "convert/io/bytes.h"

static void put(struct trc_runs *r, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*array_add(r, byte) = (unsigned char)(v & 127) | 128;
	*array_add(r, byte) = (unsigned char)v;
}

void trc_runs_add(struct trc_runs *r, uint64_t at)
{
	if (r->last.n && at == r->last.first + r->last.n) {
		r->last.n++;
		return;
	}
	if (r->last.n) {
		put(r, r->last.first - r->stored);
		put(r, r->last.n);
		r->stored = r->last.first + r->last.n;
	}
	r->last = (struct trc_run_of){at, 1};
}

int trc_runs_next(const struct trc_runs *r, struct trc_walk *w, struct trc_run_of *out)
{
	struct bytes b;

	*out = (struct trc_run_of){0};
	if (w->at < r->byte_n) {
		b = bytes_of(r->byte + w->at, r->byte_n - w->at);
		out->first = w->end + bytes_varint(&b);
		out->n = bytes_varint(&b);
		w->at = (size_t)(b.p - r->byte);
		w->end = out->first + out->n;
	} else if (!w->after_last) {
		w->after_last = 1;
		*out = r->last;
	}
	return out->n > 0;
}

void trc_runs_release(struct trc_runs *r)
{
	free(r->byte);
}
