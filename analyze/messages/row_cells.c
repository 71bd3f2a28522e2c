/* row_cells.c: adds up the time of regions in rows of streams, by cells on a grid, and keeps it as numbers. */
#include "analyze/messages/row_cells.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/numbers.h"

static size_t cells_of(int64_t end, unsigned power)
{
	return (size_t)(end >> power) + 1;
}

/* ---- while streams are read ---- */

static void halve(int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i += 2)
		v[i / 2] = v[i] + (i + 1 < n ? v[i + 1] : 0);
}

/* Cells of twice the length. A visit that crosses the edge inside a new cell does not cross that of one. */
static void coarsen(struct row_cells *x)
{
	const size_t n = x->cell_n, half = (n + 1) / 2;

	for (size_t r = 0; r < x->row_n; r++) {
		struct row_cells_row *row = &x->row[r];

		for (size_t i = 0; i < row->region_n; i++) {
			halve(row->ns[i], n);
			row->ns[i] = mem_resize(row->ns[i], half, sizeof(**row->ns));
		}
		halve(row->visits, n);
		for (size_t i = 0; i < half; i++)
			row->crosses[i] = row->crosses[2 * i];
	}
	x->parts = x->parts / n * half;
	x->cell_n = half;
	x->power++;
}

/* The times of a region that the row has had none of. NULL: there are too many. */
static int64_t *ns_new(struct row_cells *x, struct row_cells_row *row, uint32_t region)
{
	int64_t **v;

	while (x->parts + x->cell_n > x->parts_most && x->cell_n > ROW_CELLS_LEAST)
		coarsen(x);
	if (x->parts + x->cell_n > x->parts_most) {
		x->failed = 1;
		return NULL;
	}
	x->parts += x->cell_n;
	*array_add(row, region) = region;
	v = array_add(row, ns);
	*v = mem_alloc(x->cell_n * sizeof(**v));
	row->place[region] = (uint32_t)row->region_n;
	return *v;
}

static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct row_cells *x = to;
	struct row_cells_row *row;
	uint32_t region;
	int64_t *ns;

	if (!path || until <= from || x->failed)
		return;
	if (x->row_of[stream] == TRACE_NONE || from < 0 ||
	    until >> x->power >= (int64_t)x->cell_n) {
		x->failed = 1; /* a time of a damaged trace */
		return;
	}
	row = &x->row[x->row_of[stream]];
	region = x->m->paths.v[path].region;
	ns = row->place[region] ? row->ns[row->place[region] - 1] : ns_new(x, row, region);
	if (!ns)
		return;
	row->visits[from >> x->power]++;
	for (int64_t cell = from >> x->power, edge; from < until; from = edge, cell++) {
		edge = (cell + 1) << x->power;
		if (edge >= until)
			edge = until;
		ns[cell] += edge - from;
		if (edge < until)
			row->crosses[cell + 1]++;
	}
}

static size_t parts_most(const struct trace *t)
{
	uint64_t records = 0;

	for (size_t s = 0; s < t->stream_n; s++)
		records += t->stream[s].records / ROW_CELLS_SHARE;
	if (records > ROW_CELLS_PARTS_MOST)
		return ROW_CELLS_PARTS_MOST;
	return records > ROW_CELLS_PARTS_LEAST ? (size_t)records : ROW_CELLS_PARTS_LEAST;
}

/* 0: the time of the run does not fit. */
static int grid_begin(struct row_cells *x, int64_t end)
{
	if (end < 0 || end >> CELLS_POWER_MOST)
		return 0;
	while (cells_of(end, x->power) > ROW_CELLS_MOST)
		x->power++;
	x->cell_n = cells_of(end, x->power);
	return 1;
}

static struct row_cells_row *row_new(struct row_cells *x, size_t regions)
{
	struct row_cells_row *row = array_add(x, row);

	row->place = mem_alloc((regions + 1) * sizeof(*row->place));
	row->visits = mem_alloc(x->cell_n * sizeof(*row->visits));
	row->crosses = mem_alloc(x->cell_n * sizeof(*row->crosses));
	return row;
}

static void rows_of(struct row_cells *x, const struct trace *t)
{
	x->row_of = mem_alloc((t->stream_n + 1) * sizeof(*x->row_of));
	memset(x->row_of, 0xff, (t->stream_n + 1) * sizeof(*x->row_of));
}

struct messages_use row_cells_use(struct row_cells *x, const struct messages *m,
				  const uint32_t *shared, const char *named)
{
	const struct trace *t = m->trace;

	*x = (struct row_cells){.m = m, .parts_most = parts_most(t)};
	x->failed = !grid_begin(x, t->end);
	rows_of(x, t);
	for (uint32_t s = 0; s < t->stream_n && !x->failed; s++) {
		struct row_cells_row *row;

		if (!named[s])
			continue;
		if (x->row_of[shared[s]] == TRACE_NONE) {
			row_new(x, t->region_n);
			x->row_of[shared[s]] = (uint32_t)x->row_n - 1;
		}
		x->row_of[s] = x->row_of[shared[s]];
		row = &x->row[x->row_of[s]];
		*array_add(row, stream) = s;
	}
	return (struct messages_use){.busy = on_busy, .to = x, .window_only = 1};
}

void row_cells_join(struct row_cells *x, struct row_cells *part)
{
	x->failed |= part->failed;
	while (!x->failed && x->power < part->power)
		coarsen(x);
	while (!x->failed && part->power < x->power)
		coarsen(part);
	for (size_t r = 0; r < part->row_n && !x->failed; r++) {
		const struct row_cells_row mine = x->row[r];

		if (!part->row[r].region_n)
			continue;
		x->row[r] = part->row[r];
		part->row[r] = mine;
	}
	x->parts += part->parts;
}

/* ---- as numbers ---- */

static void put_all(struct kept_numbers *to, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		numbers_put(to, v[i]);
}

/* Of the names of regions, whose numbers are kept. */
static int64_t names_hash(const struct trace *t)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t r = 0; r < t->region_n; r++)
		h = hash_bytes(h, t->region[r].name, strlen(t->region[r].name) + 1);
	return (int64_t)(h >> 1);
}

int row_cells_keep(const struct row_cells *x, struct trace *t)
{
	struct kept_numbers to = {0};
	int kept;

	if (x->failed)
		return 0;
	numbers_put(&to, names_hash(t));
	numbers_put(&to, x->power);
	numbers_put(&to, (int64_t)x->cell_n);
	numbers_put(&to, (int64_t)x->row_n);
	for (size_t r = 0; r < x->row_n; r++) {
		const struct row_cells_row *row = &x->row[r];

		numbers_put(&to, (int64_t)row->stream_n);
		for (size_t i = 0; i < row->stream_n; i++)
			numbers_put(&to, row->stream[i] - (i ? row->stream[i - 1] : 0));
		put_all(&to, row->visits, x->cell_n);
		put_all(&to, row->crosses, x->cell_n);
		numbers_put(&to, (int64_t)row->region_n);
		for (size_t i = 0; i < row->region_n; i++) {
			numbers_put(&to, row->region[i]);
			put_all(&to, row->ns[i], x->cell_n);
		}
	}
	kept = numbers_keep(&to, t, TRACE_NUMBERS_ROWS);
	numbers_release(&to);
	return kept;
}

/* n numbers, which stay as they are; each is at most `most`, and so is their sum. NULL: they are wrong. */
static int64_t *get_all(struct kept_numbers *x, size_t n, int64_t most)
{
	int64_t *v, left = most;

	if (x->bad || x->v_n - x->at < n) {
		x->bad = 1;
		return NULL;
	}
	v = mem_copy(x->v + x->at, n, sizeof(*v));
	x->at += n;
	for (size_t i = 0; i < n; i++) {
		x->bad |= v[i] < 0 || v[i] > left;
		left -= x->bad ? 0 : v[i];
	}
	return v;
}

static void streams_get(struct row_cells *x, struct kept_numbers *from, struct row_cells_row *row,
			const struct trace *t)
{
	uint32_t stream = 0;

	for (size_t n = numbers_count(from, 1); n && !from->bad; n--) {
		stream += (uint32_t)numbers_below(from, t->stream_n - stream + 1);
		if (stream >= t->stream_n || x->row_of[stream] != TRACE_NONE) {
			from->bad = 1;
			return;
		}
		x->row_of[stream] = (uint32_t)x->row_n - 1;
		*array_add(row, stream) = stream;
	}
	from->bad |= !row->stream_n;
}

static void row_get(struct row_cells *x, struct kept_numbers *from, const struct trace *t)
{
	struct row_cells_row *row = array_add(x, row);
	const int64_t most = INT64_MAX / 2;
	int64_t left;

	streams_get(x, from, row, t);
	row->visits = get_all(from, x->cell_n, most);
	row->crosses = get_all(from, x->cell_n, most);
	/* Streams have no more time than the run. */
	left = most / (int64_t)(row->stream_n + 1) < t->end ? most
							     : t->end * (int64_t)row->stream_n;
	for (size_t n = numbers_count(from, x->cell_n); n && !from->bad; n--) {
		int64_t **ns;

		*array_add(row, region) = (uint32_t)numbers_below(from, t->region_n);
		ns = array_add(row, ns);
		*ns = get_all(from, x->cell_n, left);
		for (size_t i = 0; i < x->cell_n && !from->bad; i++)
			left -= (*ns)[i];
	}
}

int row_cells_get(struct row_cells *x, struct trace *t)
{
	struct kept_numbers from;
	int known;

	*x = (struct row_cells){0};
	if (!numbers_load(&from, t, TRACE_NUMBERS_ROWS))
		return 0;
	rows_of(x, t);
	from.bad = numbers_get(&from) != names_hash(t);
	x->power = (unsigned)numbers_below(&from, CELLS_POWER_MOST + 1);
	x->cell_n = (size_t)numbers_below(&from, ROW_CELLS_MOST + 1);
	from.bad |= t->end < 0 || x->cell_n != cells_of(t->end, x->power);
	for (size_t n = numbers_count(&from, 1); n && !from.bad; n--)
		row_get(x, &from, t);
	known = !from.bad && from.at == from.v_n && x->row_n;
	numbers_release(&from);
	if (!known)
		row_cells_release(x);
	return known;
}

/* ---- cells ---- */

/* Adds up n cells from `first` on, as far as there are any. */
static int64_t sum(const int64_t *v, size_t first, size_t n)
{
	int64_t all = 0;

	while (n--)
		all += v[first++];
	return all;
}

void row_cells_pass(const struct row_cells *x, size_t row, const struct trace_cells *ask)
{
	const struct row_cells_row *of = &x->row[row];
	const unsigned up = ask->power - x->power;
	struct trace_cell_time *v = mem_alloc((of->region_n + 1) * sizeof(*v));

	for (size_t i = 0; i < ask->n; i++) {
		struct trace_cell now = {.cell = ask->first + (int64_t)i, .v = v};
		const size_t last = (x->cell_n - 1) >> up;
		size_t first, n;

		if (now.cell < 0 || (uint64_t)now.cell > last)
			continue;
		first = (size_t)now.cell << up;
		n = (size_t)now.cell < last ? (size_t)1 << up : x->cell_n - first;
		for (size_t k = 0; k < of->region_n; k++) {
			const int64_t ns = sum(of->ns[k], first, n);

			if (ns)
				v[now.n++] = (struct trace_cell_time){of->region[k], ns};
		}
		now.visits = (uint64_t)sum(of->visits, first, n);
		now.crosses = (uint64_t)of->crosses[first];
		if (now.n)
			ask->receive(ask->to, &now);
	}
	free(v);
}

void row_cells_release(struct row_cells *x)
{
	for (size_t r = 0; r < x->row_n; r++) {
		struct row_cells_row *row = &x->row[r];

		for (size_t i = 0; i < row->ns_n; i++)
			free(row->ns[i]);
		free(row->ns);
		free(row->region);
		free(row->stream);
		free(row->place);
		free(row->visits);
		free(row->crosses);
	}
	free(x->row);
	free(x->row_of);
	*x = (struct row_cells){0};
}
