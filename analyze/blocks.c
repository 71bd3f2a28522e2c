/* blocks.c: memory counters of one profile as rows of the wanted detail. */
#include "blocks.h"

#include <math.h>
#include <string.h>

#define OWNED_BY " <= "
#define AT       " @ "

/* What makes up a number: the mean times the number of samples of one counter, less that of
 * another. */
static const struct {
	const char *bytes, *blocks, *less;
} what_names[BLOCKS_WHATS] = {
	[BLOCKS_LIVE] = {"live ", "live objects ", NULL},
	[BLOCKS_PEAK] = {"peak ", "peak objects ", NULL},
	[BLOCKS_CUMULATIVE] = {"alloc ", NULL, "retyped "},
	[BLOCKS_LOST] = {"lost ", NULL, NULL},
	[BLOCKS_INDIRECT] = {"indirectly lost ", NULL, NULL},
	[BLOCKS_REACHABLE] = {"reachable ", NULL, NULL},
};

static const char *behind(const char *name, const char *prefix)
{
	size_t n = prefix ? strlen(prefix) : 0;

	return n && !strncmp(name, prefix, n) && name[n] ? name + n : NULL;
}

/* What a counter adds to. */
struct part {
	int sign, blocks; /* 0: nothing; blocks: it counts them */
	uint32_t row;
};

struct reader {
	const struct profile *p;
	enum blocks_what what;
	struct names names; /* of rows, all details */
	struct blocks_row *row;
	size_t row_n, row_cap;
	struct part *part; /* by counter */
	double *on_pe;     /* bytes of the PE at hand, by row */
};

static const char *part_name(const struct reader *r, const char *counter, struct part *out)
{
	const char *name;

	/* "live objects" begins like "live". */
	if ((name = behind(counter, what_names[r->what].blocks))) {
		*out = (struct part){.sign = 1, .blocks = 1};
	} else if ((name = behind(counter, what_names[r->what].bytes))) {
		*out = (struct part){.sign = 1};
	} else if ((name = behind(counter, what_names[r->what].less))) {
		*out = (struct part){.sign = -1};
	}
	return name;
}

static char *copy(const char *from, const char *to)
{
	return mem_printf("%.*s", (int)(to - from), from);
}

static void row_name(struct blocks_row *r, const char *name)
{
	const char *at = strstr(name, AT), *end = at ? at : name + strlen(name);
	const char *owner = strstr(name, OWNED_BY);

	r->name = mem_string(name);
	if (owner && owner > end)
		owner = NULL;
	r->type = copy(name, owner ? owner : end);
	r->owner = owner ? copy(owner + strlen(OWNED_BY), end) : NULL;
	r->site = at ? mem_string(at + strlen(AT)) : NULL;
}

static void rows_find(struct reader *r)
{
	r->part = mem_alloc(r->p->counter_n * sizeof(*r->part));
	for (size_t c = 0; c < r->p->counter_n; c++) {
		const char *name = part_name(r, r->p->counter[c].name, &r->part[c]);
		struct blocks_row *row;

		if (!name || !strcmp(name, "(all)")) {
			r->part[c].sign = 0;
			continue;
		}
		r->part[c].row = names_add(&r->names, name, strlen(name));
		if (r->part[c].row < r->row_n)
			continue;
		row = array_add(r, row);
		row_name(row, name);
		row->what = r->what;
	}
	r->on_pe = mem_alloc(r->row_n * sizeof(*r->on_pe));
}

static void pe_end(struct reader *r)
{
	for (size_t i = 0; i < r->row_n; i++) {
		r->row[i].bytes_max = fmax(r->row[i].bytes_max, r->on_pe[i]);
		r->on_pe[i] = 0;
	}
}

static void sample_take(struct reader *r, const struct profile_sample *s)
{
	const struct part *part = &r->part[s->counter];
	struct blocks_row *row = &r->row[part->row];
	double sum = round(s->mean * s->n) * part->sign;

	if (!part->sign || s->path != PROFILE_FLAT)
		return;
	if (part->blocks) {
		row->blocks += sum;
		return;
	}
	row->bytes += sum;
	r->on_pe[part->row] += sum;
	if (!what_names[r->what].blocks)
		row->blocks += s->n * part->sign;
}

/* Threads of one PE stand together in a sorted profile. */
static void threads_take(struct reader *r)
{
	const struct profile *p = r->p;

	for (size_t t = 0; t < p->thread_n; t++) {
		if (p->thread[t].node < 0)
			continue;
		if (t && p->thread[t - 1].node != p->thread[t].node)
			pe_end(r);
		for (size_t i = 0; i < p->thread[t].sample_n; i++)
			sample_take(r, &p->thread[t].sample[i]);
	}
	pe_end(r);
}

static int is_plain(const struct blocks_row *r)
{
	return !r->owner && !r->site;
}

/* Is the row one of the wanted detail? */
static int is_wanted(const struct blocks_row *r, enum blocks_by by, int any_site)
{
	switch (by) {
	case BLOCKS_OWNER:
		return r->owner && !r->site;
	case BLOCKS_SITE:
		return r->site != NULL;
	case BLOCKS_FINEST:
		return any_site ? r->site != NULL : r->owner != NULL;
	default:
		return 0;
	}
}

/* Types keep what their rows of more detail do not tell. Findings have one row each, with all
 * detail. */
static void rows_partition(struct reader *r, enum blocks_by by)
{
	int any_site = 0;

	for (size_t i = 0; i < r->row_n; i++)
		any_site |= r->row[i].site != NULL;
	for (size_t i = 0; i < r->row_n && r->what < BLOCKS_LOST; i++) {
		struct blocks_row *row = &r->row[i], *plain;
		int64_t of;

		if (is_plain(row))
			continue;
		of = names_find(&r->names, row->type, strlen(row->type));
		if (!is_wanted(row, by, any_site)) {
			row->bytes = row->blocks = 0;
		} else if (of >= 0) {
			plain = &r->row[of];
			plain->bytes -= row->bytes;
			plain->blocks -= row->blocks;
			plain->bytes_max = NAN;
		}
	}
}

static int row_compare(const void *va, const void *vb)
{
	const struct blocks_row *a = va, *b = vb;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void row_release(struct blocks_row *r)
{
	free(r->name);
	free(r->type);
	free(r->owner);
	free(r->site);
}

/* Each PE is a row. */
static void rows_pes(struct blocks *b, const struct reader *r)
{
	const struct profile *p = r->p;
	struct blocks_row *row = NULL;
	int32_t node = -1;

	for (size_t t = 0; t < p->thread_n; t++) {
		if (p->thread[t].node < 0)
			continue;
		if (!row || p->thread[t].node != node) {
			node = p->thread[t].node;
			row = array_add(b, row);
			row->name = mem_printf("PE %d", node);
			row->what = r->what;
		}
		for (size_t i = 0; i < p->thread[t].sample_n; i++) {
			const struct profile_sample *s = &p->thread[t].sample[i];
			const struct part *part = &r->part[s->counter];
			double sum = round(s->mean * s->n) * part->sign;

			if (!part->sign || s->path != PROFILE_FLAT || !is_plain(&r->row[part->row]))
				continue;
			*(part->blocks ? &row->blocks : &row->bytes) += sum;
			if (!part->blocks && !what_names[r->what].blocks)
				row->blocks += s->n * part->sign;
			row->bytes_max = row->bytes;
		}
	}
}

void blocks_add(struct blocks *b, const struct profile *p, enum blocks_what what, enum blocks_by by)
{
	struct reader r = {.p = p, .what = what};

	rows_find(&r);
	threads_take(&r);
	rows_partition(&r, by);
	if (by == BLOCKS_PE)
		rows_pes(b, &r);
	for (size_t i = 0; i < r.row_n; i++) {
		if (by != BLOCKS_PE && (r.row[i].bytes > 0 || r.row[i].blocks > 0))
			*array_add(b, row) = r.row[i];
		else
			row_release(&r.row[i]);
	}
	b->bytes = b->blocks = 0;
	for (size_t i = 0; i < b->row_n; i++) {
		b->bytes += b->row[i].bytes;
		b->blocks += b->row[i].blocks;
	}
	if (b->row_n)
		qsort(b->row, b->row_n, sizeof(*b->row), row_compare);
	b->pes = profile_pes(p);
	free(r.row);
	free(r.part);
	free(r.on_pe);
	names_release(&r.names);
}

void blocks_init(struct blocks *b, const struct profile *p, enum blocks_what what,
		 enum blocks_by by)
{
	memset(b, 0, sizeof(*b));
	blocks_add(b, p, what, by);
}

void blocks_release(struct blocks *b)
{
	for (size_t i = 0; i < b->row_n; i++)
		row_release(&b->row[i]);
	free(b->row);
}
