/* comm_picture.c: the matrix of bytes between PEs as a picture; many PEs share a cell. */
#include <inttypes.h>
#include <math.h>

#include "analyze/base/quantity.h"
#include "cmd/picture/svg.h"
#include "cmd/report/events/comm_picture.h"
#include "convert/io/paths.h"
#include "convert/profile_format.h"

#define CELLS  64 /* at most, in a row */
#define LEFT   96
#define TOP    128
#define SIDE   640
#define LEGEND 776
#define WIDTH  1000
#define HEIGHT 836
#define STEPS  48 /* of colour; a multiple of the steps of the legend */

struct traffic_cells {
	size_t n, pes_per;
	struct traffic_count v[CELLS][CELLS]; /* from, to */
	uint64_t least, most; /* bytes of a cell, more than 0 */
};

static void cells_make(struct traffic_cells *c, const struct traffic *x, size_t pes)
{
	c->pes_per = (pes + CELLS - 1) / CELLS;
	c->n = (pes + c->pes_per - 1) / c->pes_per;
	for (size_t i = 0; i < x->pair_n; i++) {
		const struct traffic_pair *p = &x->pair[i];
		struct traffic_count *to = &c->v[p->from / c->pes_per][p->to / c->pes_per];
		const struct traffic_count *m = &p->messages;

		to->n += m->n;
		to->bytes += m->bytes;
		for (int k = 0; k < RMAS; k++) {
			to->n += p->rma[k].n;
			to->bytes += p->rma[k].bytes;
		}
	}
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->n; k++) {
			uint64_t bytes = c->v[i][k].bytes;

			c->most = bytes > c->most ? bytes : c->most;
			if (bytes && (!c->least || bytes < c->least))
				c->least = bytes;
		}
}

/* Between two colours. */
static void mix(char out[8], const int from[3], const int to[3], double share)
{
	int rgb[3];

	for (int i = 0; i < 3; i++)
		rgb[i] = (int)(from[i] + (to[i] - from[i]) * share + 0.5);
	snprintf(out, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

/* From near the background to far from it, in STEPS steps; in the dark scheme from dark to light. */
static void colour(char out[8], double share)
{
	static const int least[] = {222, 235, 247}, most[] = {8, 48, 107};

	mix(out, least, most, rint(share * STEPS) / STEPS);
}

static void dark_colours(FILE *f)
{
	static const int least[] = {28, 44, 66}, most[] = {198, 224, 248};
	struct svg_dark step[STEPS + 1];

	for (int i = 0; i <= STEPS; i++) {
		colour(step[i].light, i / (double)STEPS);
		mix(step[i].dark, least, most, i / (double)STEPS);
	}
	svg_dark(f, step, STEPS + 1);
}

static double share_of(const struct traffic_cells *c, uint64_t bytes)
{
	if (bytes <= c->least)
		return c->most > c->least ? 0 : 1;
	return log((double)bytes / (double)c->least) /
	       log((double)c->most / (double)c->least);
}

/* "3", or "128..255" where several share a row. */
static void ranks_name(char *out, size_t room, const struct traffic_cells *c, size_t i, size_t pes)
{
	size_t last = (i + 1) * c->pes_per - 1;

	last = last < pes ? last : pes - 1;
	if (c->pes_per == 1)
		snprintf(out, room, "%zu", i);
	else
		snprintf(out, room, "%zu..%zu", i * c->pes_per, last);
}

static void draw_cells(FILE *f, const struct traffic_cells *c, size_t pes)
{
	double side = (double)SIDE / (double)c->n;
	char fill[8], from[48], to[48];

	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->n; k++) {
			const struct traffic_count *v = &c->v[i][k];

			if (!v->n)
				continue;
			colour(fill, share_of(c, v->bytes));
			ranks_name(from, sizeof(from), c, i, pes);
			ranks_name(to, sizeof(to), c, k, pes);
			fprintf(f,
				"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
				"fill=\"%s\"><title>from %s to %s: %" PRIu64 " bytes in %" PRIu64
				" messages or transfers</title></rect>\n",
				LEFT + (double)k * side, TOP + (double)i * side, side, side, fill,
				from, to, v->bytes, v->n);
		}
	fprintf(f,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
		"stroke=\"%s\"/>\n",
		LEFT, TOP, SIDE, SIDE, SVG_GREY);
}

static void draw_ranks(FILE *f, const struct traffic_cells *c)
{
	const struct svg_style row = {.size = 13, .colour = SVG_SOFT, .anchor = "end"};
	const struct svg_style column = {.size = 13, .colour = SVG_SOFT, .anchor = "middle"};
	const struct svg_style axis = {.size = 14, .colour = SVG_INK, .anchor = "middle"};
	double side = (double)SIDE / (double)c->n;
	size_t step = (c->n + 15) / 16;
	char name[24];

	for (size_t i = 0; i < c->n; i += step) {
		snprintf(name, sizeof(name), "%zu", i * c->pes_per);
		svg_text(f, LEFT - 8, TOP + ((double)i + 0.5) * side + 4, &row, name);
		svg_text(f, LEFT + ((double)i + 0.5) * side, TOP - 8, &column, name);
	}
	svg_text(f, LEFT + SIDE / 2.0, TOP - 28, &axis, "to PE");
	fprintf(f, "<g transform=\"rotate(-90 %d %d)\">\n", LEFT - 56, TOP + SIDE / 2);
	svg_text(f, LEFT - 56, TOP + SIDE / 2.0, &axis, "from PE");
	fputs("</g>\n", f);
}

static void draw_legend(FILE *f, const struct traffic_cells *c)
{
	const struct svg_style text = {.size = 13, .colour = SVG_SOFT, .anchor = "start"};
	char fill[8], name[QUANTITY_TEXT];

	svg_text(f, LEGEND, TOP + 8, &text, "bytes (logarithmic)");
	for (int i = 0; i <= (c->most > c->least ? 6 : 0); i++) {
		double share = 1 - i / 6.0;

		colour(fill, share);
		fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"20\" height=\"20\" fill=\"%s\"/>\n",
			LEGEND, TOP + 24 + 26 * i, fill);
		quantity_size_text(
			i ? rint((double)c->least * pow((double)c->most / (double)c->least, share))
			  : (double)c->most,
			name);
		svg_text(f, LEGEND + 30, TOP + 39 + 26 * i, &text, name);
	}
	svg_text(f, LEGEND, TOP + 230, &text, "blank: nothing was sent");
}

void comm_picture(FILE *f, const struct report_trace *r, const struct traffic *x, size_t pes)
{
	const struct svg_style head = {.size = 24, .bold = 1, .colour = SVG_INK, .anchor = "start"};
	const struct svg_style sub = {
		.size = 15, .colour = SVG_SOFT, .anchor = "start", .room = WIDTH - LEFT - 20};
	struct traffic_cells *c = mem_alloc(sizeof(*c));
	char *line, *name = path_name(r->trace->path);

	cells_make(c, x, pes ? pes : 1);
	line = c->pes_per == 1
		       ? mem_printf("%s: bytes of messages and transfers between %zu PEs",
				    name, pes)
		       : mem_printf("%s: bytes of messages and transfers between %zu PEs; each "
				    "cell is %zu x %zu PEs",
				    name, pes, c->pes_per, c->pes_per);
	svg_begin(f, WIDTH, HEIGHT, "Messages between PEs");
	dark_colours(f);
	svg_text(f, LEFT, 40, &head, "Messages between PEs");
	svg_headline(f, LEFT, 68, &sub, line);
	draw_cells(f, c, pes);
	draw_ranks(f, c);
	draw_legend(f, c);
	svg_end(f);
	free(line);
	free(name);
	free(c);
}
