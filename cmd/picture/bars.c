/* bars.c: draws horizontal bars. */
#include "cmd/picture/bars.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "cmd/picture/svg.h"

/* The canvas, in SVG user units; its height follows from the rows. */
#define WIDTH  1280
#define LEFT   48
#define NAMES  560 /* width of the names at most, and where they are short */
#define NAMES_LEAST 120
#define GAP    24
#define NOTES  228 /* right of the longest bar */
#define TOP    140
#define PITCH  42
#define PITCH_MORE 58 /* where a row has three lines */
#define THICK  22
#define NAME_SIZE   15
#define DETAIL_SIZE 12.5

void bars_add(struct bars *b, const char *name, char *detail, double value, char *note, int accent)
{
	*array_add(b, row) = (struct bars_row){
		.name = mem_string(name),
		.detail = detail,
		.value = value,
		.note = note,
		.accent = accent,
	};
}

void bars_more(struct bars *b, char *more, char *whole)
{
	b->row[b->row_n - 1].more = more;
	b->row[b->row_n - 1].whole = whole;
}

void bars_release(struct bars *b)
{
	for (size_t i = 0; i < b->row_n; i++) {
		free(b->row[i].name);
		free(b->row[i].detail);
		free(b->row[i].more);
		free(b->row[i].whole);
		free(b->row[i].note);
	}
	free(b->row);
}

/* As wide as the widest text in it needs, within bounds: the bars have the rest. */
static double names_width(const struct bars *b)
{
	double width = NAMES_LEAST;

	for (size_t i = 0; i < b->row_n; i++) {
		const struct bars_row *r = &b->row[i];

		width = fmax(width, svg_text_length(r->name, NAME_SIZE, 1));
		width = fmax(width, svg_text_length(r->detail, DETAIL_SIZE, 0));
		width = fmax(width, r->more ? svg_text_length(r->more, DETAIL_SIZE, 0) : 0);
	}
	return fmin(width, NAMES);
}

/* names: how wide those are. */
static void row_print(const struct bars_row *r, double y, double names, double largest, FILE *f)
{
	static const char *const colours[] = {"#e69f00", "#0072b2"};
	const struct svg_style name = {NAME_SIZE, 1, SVG_INK, "start", NAMES},
			       detail = {DETAIL_SIZE, 0, SVG_SOFT, "start", NAMES},
			       note = {14, 1, SVG_INK, "start", 0};
	const char *colour = r->accent < 0 ? SVG_GREY : colours[r->accent != 0];
	double bars = LEFT + names + GAP, longest = WIDTH - NOTES - bars;
	double length = largest > 0 ? fabs(r->value) / largest * longest : 0;

	svg_text(f, LEFT, *r->detail || r->more ? y + 14 : y + 21, &name, r->name);
	if (*r->detail)
		svg_text_for(f, LEFT, y + 30, &detail, r->detail, r->whole ? r->whole : r->detail);
	if (r->more)
		svg_text(f, LEFT, *r->detail ? y + 45 : y + 30, &detail, r->more);
	if (r->value == 0)
		length = -10;
	else
		fprintf(f,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" "
			"stroke=\"%s\"/>\n",
			bars, y + 5, length = fmax(length, 1), THICK,
			r->value < 0 ? "#ffffff" : colour, colour);
	svg_text(f, bars + length + 10, y + 21, &note, r->note);
}

void bars_print(const struct bars *b, FILE *f)
{
	const struct svg_style title = {32, 1, SVG_INK, "start", WIDTH - 96},
			       subtitle = {18, 0, SVG_SOFT, "start", WIDTH - 96},
			       foot = {12, 0, SVG_SOFT, "start", WIDTH - 96};
	double height, largest = 0, pitch = PITCH, names = names_width(b);

	for (size_t i = 0; i < b->row_n; i++) {
		largest = fmax(largest, fabs(b->row[i].value));
		pitch = b->row[i].more && *b->row[i].detail ? PITCH_MORE : pitch;
	}
	height = TOP + (double)b->row_n * pitch + 48;
	svg_begin(f, WIDTH, height, b->title);
	svg_text(f, LEFT, 62, &title, b->title);
	svg_headline(f, LEFT, 96, &subtitle, b->subtitle);
	for (size_t i = 0; i < b->row_n; i++)
		row_print(&b->row[i], TOP + (double)i * pitch, names, largest, f);
	if (b->foot)
		svg_text(f, LEFT, height - 18, &foot, b->foot);
	svg_end(f);
}
