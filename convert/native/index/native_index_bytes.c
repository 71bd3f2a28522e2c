/*
 * native_index_bytes.c: encodes and decodes spans and their names; identifies the file that an
 * index belongs to.
 */
#include <math.h>
#include <string.h>

#include "analyze/base/exact.h"
#include "analyze/base/map.h"
#include "analyze/profile/counter_stats.h"
#include "analyze/profile/sampled_stacks.h"
#include "analyze/summary/summary.h"
#include "convert/native/define/native_code.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/index/native_index.h"
#include "convert/native/native_run.h"

/* ---- sums ---- */

static int is_whole(double v)
{
	return v >= -9007199254740992.0 && v <= 9007199254740992.0 && v == (double)(int64_t)v &&
	       !(v == 0 && signbit(v));
}

/* varint 0, then zigzag: a whole number; 1, then 8 bytes. */
static void put_number(struct buffer *b, double v)
{
	put_varint(b, !is_whole(v));
	if (is_whole(v))
		put_zigzag(b, (int64_t)v);
	else
		put(b, &v, sizeof(v));
}

static double get_number(struct bytes *b)
{
	return bytes_upto(b, 1) ? bytes_f64(b) : (double)bytes_zigzag(b);
}

/* Low and high half of the whole part, the special part, then the others. */
static void put_exact(struct buffer *b, const struct exact *x)
{
	uint64_t low = (uint64_t)x->whole;
	int64_t high = (int64_t)(x->whole >> 64), plain = high == -(int64_t)(low >> 63);

	put_varint(b,
		   (uint64_t)!plain | (uint64_t)(x->special != 0) << 1 | (uint64_t)x->part_n << 2);
	put_zigzag(b, (int64_t)low);
	if (!plain)
		put_zigzag(b, high);
	if (x->special != 0)
		put(b, &x->special, sizeof(x->special));
	put(b, x->part, x->part_n * sizeof(*x->part));
}

static void get_exact(struct bytes *b, struct exact *x)
{
	uint64_t head = bytes_varint(b), low = (uint64_t)bytes_zigzag(b);
	int64_t high = head & 1 ? bytes_zigzag(b) : -(int64_t)(low >> 63);

	x->whole = (__int128)((unsigned __int128)(uint64_t)high << 64 | low);
	x->special = head & 2 ? bytes_f64(b) : 0;
	if (head >> 2 > bytes_left(b) / 8 || high >> 56 != high >> 63)
		b->bad = 1;
	for (uint64_t i = 0; i < head >> 2 && !b->bad; i++)
		*array_add(x, part) = bytes_f64(b);
}

/* ---- spans ---- */

static void put_samples(struct buffer *b, const struct counter_stats *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->v_n; i++)
		n += s->v[i].n > 0;
	put_varint(b, n);
	for (size_t i = 0; i < s->v_n; i++) {
		const struct sample *x = &s->v[i];

		if (!x->n)
			continue;
		put_varint(b, x->counter);
		put_varint(b, x->path);
		put_varint(b, x->n);
		put_number(b, x->max);
		put_number(b, x->min);
		put_exact(b, &x->sum);
		put_exact(b, &x->sumsq);
	}
}

static void get_samples(struct bytes *b, const struct summary_names *names,
			struct counter_stats *out)
{
	uint64_t n = bytes_upto(b, bytes_left(b));

	for (uint64_t i = 0; i < n && !b->bad; i++) {
		struct sample x = {0};
		uint64_t counter = bytes_varint(b), path = bytes_varint(b);

		x.n = bytes_varint(b);
		x.max = get_number(b);
		x.min = get_number(b);
		get_exact(b, &x.sum);
		get_exact(b, &x.sumsq);
		b->bad |= counter >= names->counters.name_n || path >= names->paths.v_n || !x.n;
		if (!b->bad)
			counter_stats_add_sum(out, (uint32_t)counter, (uint32_t)path, &x);
		exact_release(&x.sum);
		exact_release(&x.sumsq);
	}
}

static void put_stacks(struct buffer *b, const struct stacks *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->v_n; i++)
		n += s->v[i].n > 0;
	put_varint(b, n);
	for (size_t i = 0; i < s->v_n; i++) {
		const struct stack_count *c = &s->v[i];

		if (!c->n)
			continue;
		put_varint(b, c->context);
		put_varint(b, c->node);
		put_varint(b, c->n);
		put_zigzag(b, c->ns);
	}
}

static void get_stacks(struct bytes *b, const struct summary_names *names, struct stacks *out)
{
	uint64_t n = bytes_upto(b, bytes_left(b));

	for (uint64_t i = 0; i < n && !b->bad; i++) {
		uint64_t context = bytes_varint(b), node = bytes_varint(b), count = bytes_varint(b);
		int64_t ns = bytes_zigzag(b);

		b->bad |= !context || context >= names->paths.v_n || !node ||
			  node >= names->stacks.v_n;
		if (!b->bad)
			stacks_add(out, (uint32_t)context, (uint32_t)node, count, ns);
	}
}

static void put_levels(struct buffer *b, const struct summary *s)
{
	uint32_t next = 0;

	put_varint(b, s->level_n);
	for (size_t i = 0; i < s->level_n; i++) {
		const struct level_sum *l = &s->level[i];

		put_varint(b, l->row - next);
		put_varint(b, (uint64_t)l->peak.bytes);
		put_varint(b, (uint64_t)l->peak.blocks);
		put_zigzag(b, l->gain.bytes);
		put_zigzag(b, l->gain.blocks);
		next = l->row + 1;
	}
}

static void get_levels(struct bytes *b, struct summary *out)
{
	uint64_t n = bytes_upto(b, bytes_left(b)), row = 0;

	for (uint64_t i = 0; i < n && !b->bad; i++) {
		struct level_sum l = {0};

		row += bytes_upto(b, UINT32_MAX - row);
		l.row = (uint32_t)row++;
		l.peak.bytes = (int64_t)bytes_upto(b, INT64_MAX);
		l.peak.blocks = (int64_t)bytes_upto(b, INT64_MAX);
		l.gain.bytes = bytes_zigzag(b);
		l.gain.blocks = bytes_zigzag(b);
		b->bad |= row >= UINT32_MAX;
		if (!b->bad)
			*array_add(out, level) = l;
	}
}

void native_index_put_stretch(struct buffer *b, const struct summary *s, size_t metric_n)
{
	uint32_t last = 0;

	put_zigzag(b, s->begin);
	put_zigzag(b, s->end);
	put_varint(b, s->repaired);
	put_varint(b, s->resumed);
	put_varint(b, s->folded);
	for (size_t k = 0; k < metric_n; k++) {
		put_zigzag(b, s->value[k]);
		put_zigzag(b, s->then[k]);
	}
	put_varint(b, s->row_n);
	for (size_t i = 0; i < s->row_n; i++) {
		put_varint(b, s->row[i].path - last);
		put_varint(b, s->row[i].calls);
		put_zigzag(b, s->row[i].excl);
		for (size_t k = 0; k < metric_n; k++)
			put_zigzag(b, s->metric[i * metric_n + k]);
		last = s->row[i].path;
	}
	put_samples(b, &s->samples);
	put_stacks(b, &s->stacks);
	put_levels(b, s);
}

int native_index_get_stretch(struct bytes b, const struct summary_names *n, size_t metric_n,
			     struct summary *out)
{
	uint64_t rows, path = 0;

	summary_clear(out);
	out->begin = bytes_zigzag(&b);
	out->end = bytes_zigzag(&b);
	out->repaired = bytes_varint(&b);
	out->resumed = bytes_varint(&b);
	out->folded = bytes_varint(&b);
	for (size_t k = 0; k < metric_n; k++) {
		out->value[k] = bytes_zigzag(&b);
		out->then[k] = bytes_zigzag(&b);
	}
	rows = bytes_upto(&b, bytes_left(&b));
	for (uint64_t i = 0; i < rows && !b.bad; i++) {
		uint64_t step = bytes_varint(&b);
		struct summary_row *r;

		if (!step || step >= n->paths.v_n - path)
			return -1;
		path += step;
		r = summary_row_add(out, (uint32_t)path, metric_n);
		r->calls = bytes_varint(&b);
		r->excl = bytes_zigzag(&b);
		for (size_t k = 0; k < metric_n; k++)
			out->metric[i * metric_n + k] = bytes_zigzag(&b);
	}
	get_samples(&b, n, &out->samples);
	get_stacks(&b, n, &out->stacks);
	get_levels(&b, out);
	return b.bad || b.p != b.end || out->end < out->begin ? -1 : 0;
}

/* ---- names ---- */

/*
 * The index identifies a region by the lowest number that the file has for it, plus 1; the root is
 * 0.
 */
uint32_t *native_index_ids(const struct trace *t, const struct native_stream *s)
{
	uint32_t *id = mem_alloc((t->region_n + 1) * sizeof(*id));

	for (size_t i = 0; i < s->region.far.slots; i++) {
		const struct map_slot *x = &s->region.far.slot[i];

		if (x->value != TRACE_NONE && (!id[x->value] || x->key < id[x->value]))
			id[x->value] = (uint32_t)x->key + 1;
	}
	for (size_t i = s->region.v_n; i-- > 0;)
		if (s->region.v[i] != TRACE_NONE)
			id[s->region.v[i]] = (uint32_t)i + 1;
	return id;
}

uint32_t native_index_region(const struct trace *t, const struct native_stream *s, uint64_t id)
{
	return id ? native_id(&s->region, id - 1) : (uint32_t)t->region_n;
}

static void put_paths(struct buffer *b, const struct trace *t, const struct native_stream *s,
		      const struct callstack_paths *p)
{
	uint32_t *id = native_index_ids(t, s);

	put_varint(b, p->v_n - 1);
	for (size_t i = 1; i < p->v_n; i++) {
		put_varint(b, i - p->v[i].parent);
		put_varint(b, id[p->v[i].region]);
	}
	free(id);
}

static void get_paths(struct bytes *b, const struct trace *t, const struct native_stream *s,
		      struct callstack_paths *out)
{
	uint64_t n = bytes_upto(b, bytes_left(b) / 2);

	for (uint64_t i = 1; i <= n && !b->bad; i++) {
		uint64_t back = bytes_varint(b), id = bytes_varint(b);
		uint32_t region = native_index_region(t, s, id);

		b->bad |= !back || back > i || region == TRACE_NONE;
		/* It is a new one each time, or numbers would not be what they were. */
		b->bad |= !b->bad && callstack_path_child(out, (uint32_t)(i - back), region) != i;
	}
}

static void put_stack_names(struct buffer *b, struct native_run *run, const struct stack_tree *tree)
{
	struct map number = {0};
	struct native_images images = {0};
	struct buffer code = {0}, node = {0};
	uint32_t n = 0;

	for (size_t i = 1; i < tree->v_n; i++) {
		uint32_t at = map_get(&number, tree->v[i].code);

		if (at == MAP_NONE) {
			at = n++;
			map_set(&number, tree->v[i].code, at);
			native_code_put(run, tree->v[i].code, &images, &code);
		}
		put_varint(&node, i - tree->v[i].parent);
		put_varint(&node, at);
	}
	put_varint(b, n);
	put(b, code.v, code.v_n);
	put_varint(b, tree->v_n - 1);
	put(b, node.v, node.v_n);
	free(code.v);
	free(images.v);
	free(node.v);
	map_release(&number);
}

static void get_stack_names(struct bytes *b, struct trace *t, struct stack_tree *out)
{
	uint64_t n = bytes_upto(b, bytes_left(b)), nodes;
	uint32_t *code = mem_alloc((n + 1) * sizeof(*code));
	struct native_images images = {0};

	for (uint64_t i = 0; i < n && !b->bad; i++)
		code[i] = native_code_get(t, &images, b);
	nodes = bytes_upto(b, bytes_left(b));
	for (uint64_t i = 1; i <= nodes && !b->bad; i++) {
		uint64_t back = bytes_varint(b), at = bytes_varint(b);

		b->bad |= !back || back > i || at >= n;
		b->bad |= !b->bad && stack_tree_child(out, (uint32_t)(i - back), code[at]) != i;
	}
	free(code);
	free(images.v);
}

void native_index_put_names(struct buffer *b, struct trace *t, uint32_t stream,
			    const struct summary_names *n)
{
	put_paths(b, t, t->stream[stream].reader, &n->paths);
	put_varint(b, n->counters.name_n);
	for (size_t i = 0; i < n->counters.name_n; i++)
		put_string(b, n->counters.name[i]);
	put_stack_names(b, t->reader, &n->stacks);
}

int native_index_get_names(struct bytes b, struct trace *t, uint32_t stream,
			   struct summary_names *out)
{
	uint64_t n;

	get_paths(&b, t, t->stream[stream].reader, &out->paths);
	n = bytes_upto(&b, bytes_left(&b));
	for (uint64_t i = 0; i < n && !b.bad; i++) {
		struct bytes name = bytes_string(&b);

		b.bad |= !b.bad &&
			 names_add(&out->counters, (const char *)name.p, bytes_left(&name)) != i;
	}
	get_stack_names(&b, t, &out->stacks);
	return b.bad || b.p != b.end ? -1 : 0;
}
