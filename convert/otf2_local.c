/* otf2_local.c: what each location says of itself: tables that make its ids global, offsets of its clock. */
#include "otf2.h"

#include <math.h>

/* ---- tables of ids ---- */

/* A table of n ids: one after the other, or pairs. 0, or -1: it is damaged. */
static int read_table(struct otf2_location *l, unsigned of, uint64_t n, struct otf2_bytes *b)
{
	unsigned sparse = (unsigned)otf2_number(b, 1);
	struct otf2_ids *t;

	if (b->bad || of >= OTF2_TABLES || n > otf2_left(b) / (sparse ? 2 : 1))
		return -1;
	if (!l->ids)
		l->ids = mem_alloc(OTF2_TABLES * sizeof(*l->ids));
	t = &l->ids[of];
	free(t->dense);
	map_release(&t->sparse);
	*t = (struct otf2_ids){0};
	if (!sparse) {
		t->dense = mem_alloc(((size_t)n + 1) * sizeof(*t->dense));
		t->dense_n = (size_t)n;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t local = sparse ? otf2_compressed(b, 8) : i, global = otf2_compressed(b, 8);

		if (!sparse)
			t->dense[i] = (uint32_t)global;
		else if (global < MAP_NONE)
			map_set(&t->sparse, local, (uint32_t)global);
	}
	return b->bad ? -1 : 0;
}

/* ---- clocks ---- */

static void read_offset(struct otf2_location *l, uint64_t time, int64_t offset)
{
	if (l->clock_n && time <= l->clock[l->clock_n - 1].time)
		return;
	*array_add(l, clock) = (struct otf2_clock_point){time, offset};
}

/*
 * Between two points the offset changes evenly; before the first and behind the last it goes on as between the two
 * nearest.
 */
uint64_t otf2_corrected(const struct otf2_location *l, uint64_t time)
{
	const struct otf2_clock_point *a = l->clock, *b;
	size_t low = 0, high = l->clock_n - 1;
	double share, offset;

	if (l->clock_n == 1)
		return time + (uint64_t)a->offset;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (l->clock[middle].time <= time)
			low = middle;
		else
			high = middle;
	}
	a = &l->clock[low];
	b = &l->clock[low + 1];
	share = time >= a->time ? (double)(time - a->time) : -(double)(a->time - time);
	share /= (double)(b->time - a->time);
	offset = rint(share * ((double)b->offset - (double)a->offset));
	if (!(fabs(offset) < 0x1p62))
		return time;
	return time + (uint64_t)a->offset + (uint64_t)(int64_t)offset;
}

/* ---- files ---- */

static const char *take(void *to, unsigned kind, struct otf2_fields *f)
{
	struct otf2_location *l = to;

	if (kind == OTF2_LOCAL_MAP && read_table(l, (unsigned)f->v[0], f->v[1], &f->list))
		return "a table of ids is damaged";
	if (kind == OTF2_LOCAL_OFFSET)
		read_offset(l, f->v[0], (int64_t)f->v[1]);
	return NULL;
}

void otf2_local(struct trace *t, struct otf2_run *run)
{
	size_t without = 0;

	for (size_t i = 0; i < run->location_n; i++) {
		struct otf2_location *l = &run->location[i];
		struct otf2_definitions d = {otf2_local_record, take, l, 0, {0}};
		struct otf2_file f;
		const char *wrong;

		if (otf2_file_open(&f, &run->archive, &l->id, ".def")) {
			without++;
			continue;
		}
		wrong = otf2_definitions(&d, &f, run->archive.definition_chunk);
		if (wrong)
			trace_note(t, "%s: offset %llu: %s; what follows in it is left out", f.path,
				   (unsigned long long)d.offset, wrong);
		otf2_file_close(&f);
	}
	if (without)
		trace_note(t,
			   "%s: %zu location%s no local definitions; their ids are taken as global",
			   t->path, without, without > 1 ? "s have" : " has");
}
