/* bars.c: draws horizontal bars. */
#include "bars.h"

#include <math.h>
#include <string.h>

#include "../analyze/base.h"
#include "svg.h"

/* The canvas, in SVG user units; its height follows from the rows. */
#define WIDTH  1280
#define LEFT   48
#define NAMES  560 /* width of the names */
#define BARS   (LEFT + NAMES + 24)
#define LENGTH 420 /* of the longest bar */
#define TOP    140
#define PITCH  42
#define PITCH_MORE 58 /* where a row has three lines */
#define THICK  22

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

static void row_print(const struct bars_row *r, double y, double largest, FILE *f)
{
	static const char *const colours[] = {"#e69f00", "#0072b2"};
	const struct svg_style name = {15, 1, SVG_INK, "start", NAMES},
			       detail = {12.5, 0, SVG_SOFT, "start", NAMES},
			       note = {14, 1, SVG_INK, "start", 0};
	const char *colour = r->accent < 0 ? SVG_GREY : colours[r->accent != 0];
	double length = largest > 0 ? fabs(r->value) / largest * LENGTH : 0;

	svg_text(f, LEFT, *r->detail ? y + 14 : y + 21, &name, r->name);
	if (*r->detail)
		svg_text_for(f, LEFT, y + 30, &detail, r->detail, r->whole ? r->whole : r->detail);
	if (r->more)
		svg_text(f, LEFT, *r->detail ? y + 45 : y + 30, &detail, r->more);
	if (r->value == 0)
		length = -10;
	else
		fprintf(f,
			"<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" "
			"stroke=\"%s\"/>\n",
			BARS, y + 5, length = fmax(length, 1), THICK,
			r->value < 0 ? "#ffffff" : colour, colour);
	svg_text(f, BARS + length + 10, y + 21, &note, r->note);
}

void bars_print(const struct bars *b, FILE *f)
{
	const struct svg_style title = {32, 1, SVG_INK, "start", WIDTH - 96},
			       subtitle = {18, 0, SVG_SOFT, "start", WIDTH - 96},
			       foot = {12, 0, SVG_SOFT, "start", WIDTH - 96};
	double height, largest = 0, pitch = PITCH;

	for (size_t i = 0; i < b->row_n; i++) {
		largest = fmax(largest, fabs(b->row[i].value));
		pitch = b->row[i].more && *b->row[i].detail ? PITCH_MORE : pitch;
	}
	height = TOP + (double)b->row_n * pitch + 48;
	svg_begin(f, WIDTH, height, b->title);
	svg_text(f, LEFT, 62, &title, b->title);
	svg_headline(f, LEFT, 96, &subtitle, b->subtitle);
	for (size_t i = 0; i < b->row_n; i++)
		row_print(&b->row[i], TOP + (double)i * pitch, largest, f);
	if (b->foot)
		svg_text(f, LEFT, height - 18, &foot, b->foot);
	svg_end(f);
}
