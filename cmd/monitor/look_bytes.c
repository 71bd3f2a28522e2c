/* look_bytes.c: looks to bytes and back. */
#include "cmd/monitor/look_bytes.h"

#include <math.h>
#include <string.h>

#include "convert/io/bytes.h"

#define NUMBER_MOST 9007199254740992.0 /* 2^53: sums of a thousand of them still fit into 64 bits */
#define COUNT_MOST  (UINT64_C(1) << 40)

/* ---- writing ---- */

static void put_number(struct buffer *b, double v)
{
	put(b, &v, sizeof(v));
}

static void put_numbers(struct buffer *b, const double *v, size_t n)
{
	put(b, v, n * sizeof(*v));
}

/* A text that there may be none of. */
static void put_text(struct buffer *b, const char *s)
{
	put_byte(b, s != NULL);
	if (s)
		put_string(b, s);
}

static void regions_put(struct buffer *b, const struct look *l)
{
	put_varint(b, l->region_n);
	for (size_t i = 0; i < l->region_n; i++) {
		const struct look_region *x = &l->region[i];

		put_string(b, x->name);
		put_string(b, x->groups);
		put_numbers(b, (double[]){x->calls, x->excl, x->incl, x->new_calls, x->new_excl},
			    5);
	}
}

static void threads_put(struct buffer *b, const struct look *l)
{
	put_varint(b, l->thread_n);
	for (size_t i = 0; i < l->thread_n; i++) {
		const struct look_thread *x = &l->thread[i];

		put_zigzag(b, x->node);
		put_zigzag(b, x->thread);
		put_byte(b, x->running != 0);
		put_byte(b, x->unknown != 0);
		put_text(b, x->label);
		put_text(b, x->open);
		put_numbers(b, (double[]){x->calls, x->time, x->useful, x->since, x->new_calls}, 5);
	}
}

static void processes_put(struct buffer *b, const struct look *l)
{
	put_varint(b, l->process_n);
	for (size_t i = 0; i < l->process_n; i++) {
		const struct look_process *x = &l->process[i];

		put_zigzag(b, x->node);
		put_varint(b, x->pid);
		put_string(b, x->host);
		put_byte(b, x->running != 0);
		put_byte(b, x->unknown != 0);
		put_byte(b, x->ended);
		put_zigzag(b, x->end_value);
		put_varint(b, x->id);
		put_zigzag(b, x->rank);
		put_numbers(b, (double[]){x->use.cpu, x->use.resident, x->use.peak, x->use.read,
					  x->use.written, x->use.stopped, x->load, x->read_rate,
					  x->written_rate},
			    9);
		put_varint(b, x->top_n);
		for (size_t k = 0; k < x->top_n; k++) {
			put_string(b, x->top[k].name);
			put_number(b, x->top[k].new_excl);
		}
	}
}

void look_put(struct buffer *b, const struct look *l)
{
	put_numbers(b,
		    (double[]){l->now, l->elapsed, l->records, l->lost, l->messages, l->bytes}, 6);
	put_varint(b, l->pes);
	put_varint(b, l->threads);
	regions_put(b, l);
	threads_put(b, l);
	put_varint(b, l->memory_n);
	for (size_t i = 0; i < l->memory_n; i++) {
		put_string(b, l->memory[i].type);
		put_number(b, l->memory[i].bytes);
		put_number(b, l->memory[i].blocks);
	}
	processes_put(b, l);
	put_varint(b, l->host_n);
	for (size_t i = 0; i < l->host_n; i++) {
		put_string(b, l->host[i].name);
		put_byte(b, l->host[i].state);
		put_number(b, l->host[i].now);
		put_text(b, l->host[i].why);
		put_number(b, l->host[i].lost);
		put_number(b, l->host[i].again);
		put_varint(b, l->host[i].tries);
	}
}

/* ---- reading ---- */

/* A number of elements, each of at least `least` bytes. */
static size_t get_n(struct bytes *b, size_t least)
{
	uint64_t n = bytes_varint(b);

	if (n > bytes_left(b) / least)
		b->bad = 1;
	return b->bad ? 0 : (size_t)n;
}

static unsigned get_byte(struct bytes *b, unsigned most)
{
	struct bytes one = bytes_part(b, 1);
	unsigned v = one.bad ? 0 : *one.p;

	if (v > most)
		b->bad = 1;
	return b->bad ? 0 : v;
}

/* To be freed; never NULL. */
static char *get_string(struct bytes *b)
{
	struct bytes s = bytes_string(b);
	size_t n = (size_t)(s.end - s.p);
	char *text = mem_alloc(n + 1);

	for (size_t i = 0; i < n; i++)
		text[i] = s.p[i] < ' ' || s.p[i] == 127 ? ' ' : (char)s.p[i];
	return text;
}

static char *get_text(struct bytes *b)
{
	return get_byte(b, 1) ? get_string(b) : NULL;
}

static double get_number(struct bytes *b, int missing)
{
	double v = bytes_f64(b);

	if (!(fabs(v) <= NUMBER_MOST) && !(missing && isnan(v)))
		b->bad = 1;
	return b->bad ? 0 : v;
}

/* NaN: it is missing. */
static double get_maybe(struct bytes *b)
{
	return get_number(b, 1);
}

static int64_t get_between(struct bytes *b, int64_t least, int64_t most)
{
	int64_t v = bytes_zigzag(b);

	if (v < least || v > most)
		b->bad = 1;
	return b->bad ? 0 : v;
}

static void regions_get(struct bytes *b, struct look *l)
{
	for (size_t n = get_n(b, 42), i = 0; i < n && !b->bad; i++) {
		struct look_region *x = array_add(l, region);

		x->name = get_string(b);
		x->groups = get_string(b);
		x->calls = get_number(b, 0);
		x->excl = get_number(b, 0);
		x->incl = get_number(b, 0);
		x->new_calls = get_maybe(b);
		x->new_excl = get_maybe(b);
	}
}

static void threads_get(struct bytes *b, struct look *l)
{
	for (size_t n = get_n(b, 46), i = 0; i < n && !b->bad; i++) {
		struct look_thread *x = array_add(l, thread);

		x->node = (int32_t)get_between(b, INT32_MIN, INT32_MAX);
		x->thread = (int32_t)get_between(b, INT32_MIN, INT32_MAX);
		x->running = (int)get_byte(b, 1);
		x->unknown = (int)get_byte(b, 1);
		x->label = get_text(b);
		x->open = get_text(b);
		x->calls = get_number(b, 0);
		x->time = get_number(b, 0);
		x->useful = get_maybe(b);
		x->since = get_maybe(b);
		x->new_calls = get_maybe(b);
	}
}

static void use_get(struct bytes *b, struct look_process *x)
{
	double *const v[] = {&x->use.cpu,	 &x->use.resident, &x->use.peak,  &x->use.read,
			     &x->use.written, &x->use.stopped, &x->load,  &x->read_rate,
			     &x->written_rate};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		*v[i] = get_maybe(b);
	for (size_t n = (size_t)bytes_upto(b, LOOK_TOP); x->top_n < n && !b->bad; x->top_n++) {
		x->top[x->top_n].name = get_string(b);
		x->top[x->top_n].new_excl = get_number(b, 0);
	}
}

static void processes_get(struct bytes *b, struct look *l)
{
	for (size_t n = get_n(b, 82), i = 0; i < n && !b->bad; i++) {
		struct look_process *x = array_add(l, process);

		x->node = (int32_t)get_between(b, INT32_MIN, INT32_MAX);
		x->pid = (uint32_t)bytes_upto(b, UINT32_MAX);
		x->host = get_string(b);
		x->running = (int)get_byte(b, 1);
		x->unknown = (int)get_byte(b, 1);
		x->ended = (enum trace_end)get_byte(b, TRACE_END_KILLED);
		x->end_value = (int)get_between(b, INT32_MIN, INT32_MAX);
		x->id = bytes_varint(b);
		x->rank = get_between(b, -1, INT32_MAX);
		use_get(b, x);
		l->running += x->running != 0;
		l->unknown += !x->running && x->unknown;
		l->ended += !x->running && !x->unknown;
	}
}

static void memory_get(struct bytes *b, struct look *l)
{
	for (size_t n = get_n(b, 17), i = 0; i < n && !b->bad; i++) {
		struct look_memory *x = array_add(l, memory);

		x->type = get_string(b);
		x->bytes = get_number(b, 0);
		x->blocks = get_maybe(b);
	}
}

static void hosts_get(struct bytes *b, struct look *l)
{
	for (size_t n = get_n(b, 28), i = 0; i < n && !b->bad; i++) {
		struct look_host *x = array_add(l, host);

		x->name = get_string(b);
		x->state = (enum look_host_state)get_byte(b, LOOK_HOST_STATES - 1);
		x->now = get_maybe(b);
		x->why = get_text(b);
		x->lost = get_maybe(b);
		x->again = get_maybe(b);
		x->tries = (size_t)bytes_upto(b, COUNT_MOST);
	}
}

int look_get(const void *from, size_t n, struct look *out)
{
	struct bytes b = bytes_of(from, n);

	*out = (struct look){0};
	out->now = get_number(&b, 0);
	out->elapsed = get_maybe(&b);
	out->records = get_number(&b, 0);
	out->lost = get_number(&b, 0);
	out->messages = get_maybe(&b);
	out->bytes = get_maybe(&b);
	out->pes = (size_t)bytes_upto(&b, COUNT_MOST);
	out->threads = (size_t)bytes_upto(&b, COUNT_MOST);
	regions_get(&b, out);
	threads_get(&b, out);
	memory_get(&b, out);
	processes_get(&b, out);
	hosts_get(&b, out);
	if (!b.bad && !bytes_left(&b))
		return 0;
	look_release(out);
	return -1;
}
