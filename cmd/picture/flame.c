/* flame.c: draws paths of calls as boxes below each other. */
#include "cmd/picture/flame.h"

#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/trace/call_text.h"
#include "cmd/picture/short_names.h"
#include "cmd/picture/svg.h"
#include "cmd/table/table_text.h"

static const char script[] =
#include "flame_js.inc"
	;

/* The canvas, in SVG user units; its height follows from the longest path. */
#define WIDTH    1280
#define LEFT     48
#define ROOM     (WIDTH - 2 * LEFT)
#define TOP      124
#define PITCH    20
#define THIN     0.5 /* what is narrower is hidden */
#define THINNEST 0.01 /* and what is narrower than this is not in the picture */
#define BOXES    3000 /* nor is what would be more than that */
#define LEVELS   256 /* nor is what is deeper */
#define READABLE 50  /* what is narrower has no name in it */
#define NONE     SIZE_MAX /* above the first box */

/* Boxes of calls: tints that text can be read on, one for each library or file. */
static const char *const tints[] = {"#dbe9f4", "#fbe8c8", "#d5efe4", "#f3e0ec",
				    "#e6f3fb", "#f9ddcf", "#e8e8e8"};
#define TINTS (sizeof(tints) / sizeof(*tints))

/* The box of that name below another; made where there is none. Their keys are numbered as the
 * boxes are. */
static size_t box_below(struct flame *f, size_t above, const char *name, int accent)
{
	struct {
		uint64_t above;
		int64_t accent;
	} head = {above, accent};
	size_t n = strlen(name) + 1, at;

	if (f->key_cap < sizeof(head) + n) {
		f->key_cap = 2 * (sizeof(head) + n);
		f->key = mem_resize(f->key, f->key_cap, 1);
	}
	memcpy(f->key, &head, sizeof(head));
	memcpy(f->key + sizeof(head), name, n);
	at = names_add(&f->keys, f->key, sizeof(head) + n);
	if (at == f->box_n)
		*array_add(f, box) = (struct flame_box){
			.name = f->keys.name[at] + sizeof(head), .accent = accent, .above = above};
	return at;
}

void flame_root(struct flame *f, const char *name, double value)
{
	size_t at = box_below(f, NONE, name, FLAME_CALL);

	f->box[at].value = value;
}

size_t flame_box(struct flame *f, size_t above, const char *name, double value)
{
	size_t at = box_below(f, above, name, FLAME_CALL);

	f->box[at].value += value;
	return at;
}

void flame_add(struct flame *f, const char *path, const char *end, double value, int accent)
{
	size_t at = f->box_n ? 0 : box_below(f, NONE, "all", FLAME_CALL);
	const char *arrow;

	if (!(value > 0))
		return;
	f->box[at].value += value;
	for (const char *from = path; from; from = arrow ? arrow + strlen(CALLS_ARROW) : NULL) {
		char *call, *code;

		arrow = strstr(from, CALLS_ARROW);
		call = mem_printf("%.*s", (int)(arrow ? (size_t)(arrow - from) : strlen(from)),
				  from);
		code = place_code(call);
		at = box_below(f, at, code, FLAME_CALL);
		f->box[at].value += value;
		free(call);
		free(code);
	}
	at = box_below(f, at, end, accent);
	f->box[at].value += value;
}

/* The largest first; equal ones in the order of their numbers. */
static int box_order(const void *va, const void *vb, void *of)
{
	const struct flame *f = of;
	size_t a = *(const size_t *)va, b = *(const size_t *)vb;
	double x = f->box[a].value, y = f->box[b].value;

	return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

/* Lists the boxes below each, in their order. */
static void boxes_sort(struct flame *f)
{
	size_t *order = mem_alloc((f->box_n + 1) * sizeof(*order));

	for (size_t i = 0; i < f->box_n; i++) {
		order[i] = i;
		f->box[i].first = f->box[i].next = 0;
	}
	if (f->box_n > 1)
		qsort_r(order + 1, f->box_n - 1, sizeof(*order), box_order, f);
	for (size_t i = f->box_n; i-- > 1;) {
		size_t *first = &f->box[f->box[order[i]].above].first;

		f->box[order[i]].next = *first;
		*first = order[i];
	}
	free(order);
}

static const char *colour_of(const struct flame_box *b)
{
	static const char *const ends[] = {"#e69f00", "#0072b2"};
	const char *place = strstr(b->name, " [");
	unsigned hash = 0;

	if (b->accent != FLAME_CALL)
		return b->accent < 0 ? SVG_GREY : ends[b->accent != 0];
	for (place = place ? place : b->name; *place && *place != '}'; place++)
		hash = hash * 31 + (unsigned char)*place;
	return tints[hash % TINTS];
}

static void box_print(const struct flame *f, const struct flame_box *b, double x, double width,
		      int depth, FILE *to)
{
	const struct svg_style style = {11.5, 0, b->accent == 1 ? SVG_ON_DARK : SVG_ON_LIGHT,
					"start", width - 8};
	double y = TOP + depth * PITCH;
	char size[FLAME_TEXT], percent[QUANTITY_TEXT],
		*name = b->accent == FLAME_CALL ? place_function(b->name) : mem_string(b->name);

	fputs(width < THIN ? "<g style=\"display:none\"><title>" : "<g><title>", to);
	svg_escaped(to, b->name);
	fputs(": ", to);
	svg_escaped(to, f->text ? f->text(f->of, b->value, size)
				: quantity_size_text(b->value, size));
	fputs(", ", to);
	svg_escaped(to, quantity_in_text(100 * b->value / f->box[0].value, 2, "%", percent));
	fputs("</title>", to);
	fprintf(to,
		"<rect x=\"%.2f\" y=\"%g\" width=\"%.4g\" height=\"%d\" fill=\"%s\"%s/>\n",
		x, y, width, PITCH - 1, colour_of(b), width > 3 ? "" : " stroke=\"none\"");
	if (width >= READABLE)
		svg_text_for(to, x + 4, y + 14, &style, name, name);
	fputs("</g>\n", to);
	free(name);
}

/* The box and those below it, down to LEVELS, that are not thinner than thin. */
static void boxes_print(const struct flame *f, size_t at, double x, int depth, double thin,
			FILE *to)
{
	double scale = ROOM / f->box[0].value;

	box_print(f, &f->box[at], x, f->box[at].value * scale, depth, to);
	if (depth + 1 == LEVELS)
		return;
	for (size_t k = f->box[at].first; k; k = f->box[k].next) {
		double width = f->box[k].value * scale;

		if (width < thin)
			break;
		boxes_print(f, k, x, depth + 1, thin, to);
		x += width;
	}
}

/* The least width for which there are not too many boxes: a half, or less. */
static double thinnest(const struct flame *f)
{
	double thin = THIN;

	for (size_t n = 0; thin > THINNEST; thin /= 2, n = 0) {
		for (size_t i = 0; i < f->box_n; i++)
			n += f->box[i].value * ROOM / f->box[0].value >= thin / 2;
		if (n > BOXES)
			break;
	}
	return thin;
}

/* The levels from this box down, at most `most`. */
static int boxes_deep(const struct flame *f, size_t at, int most)
{
	int deepest = 0;

	for (size_t k = most > 1 ? f->box[at].first : 0; k; k = f->box[k].next)
		if (f->box[k].value * ROOM / f->box[0].value >= THIN) {
			int rows = boxes_deep(f, k, most - 1);

			deepest = rows > deepest ? rows : deepest;
		}
	return deepest + 1;
}

/* deeper: there are more levels than are drawn. */
static char *cut_text(double thin, int deeper)
{
	double share = 100 * thin / ROOM;

	if (deeper)
		return mem_printf("Not in the picture: boxes below %.2g %% of the whole, and calls "
				  "below %d others.",
				  share, LEVELS);
	return mem_printf("Not in the picture: boxes below %.2g %% of the whole.", share);
}

void flame_print(struct flame *f, const char *title, const char *subtitle, const char *foot,
		 FILE *to)
{
	const struct svg_style head = {32, 1, SVG_INK, "start", ROOM},
			       below = {18, 0, SVG_SOFT, "start", ROOM},
			       small = {12, 0, SVG_SOFT, "start", ROOM};
	int levels, rows;
	double height, thin;
	char *cut;

	boxes_sort(f);
	levels = f->box_n && f->box[0].value > 0 ? boxes_deep(f, 0, LEVELS + 1) : 0;
	rows = levels > LEVELS ? LEVELS : levels;
	height = TOP + rows * PITCH + 74;
	thin = rows ? thinnest(f) : 0;
	cut = rows ? cut_text(thin, levels > LEVELS) : mem_string("");
	svg_begin(to, WIDTH, height, title);
	svg_headline(to, LEFT, 62, &head, title);
	svg_headline(to, LEFT, 96, &below, subtitle);
	fputs("<style>.boxes g{cursor:pointer}.boxes g:focus{outline:none}"
	      ".boxes text{stroke:none}.boxes .above{opacity:.55}"
	      ".boxes g:focus rect{stroke:#1a1a1a;stroke-width:2}"
	      ".boxes .hit rect{fill:#f28ac9}@media print{.bar{display:none}}</style>\n"
	      "<g class=\"boxes\" font-size=\"11.5\" stroke=\"#ffffff\" "
	      "stroke-width=\"0.8\">\n",
	      to);
	if (rows)
		boxes_print(f, 0, LEFT, 0, thin, to);
	fputs("</g>\n<g class=\"foot\">\n", to);
	svg_text(to, LEFT, height - 54, &small, foot);
	svg_text(to, LEFT, height - 18, &small, cut);
	svg_text(to, LEFT, height - 36, &small,
		 f->hint ? f->hint
			 : "A box is a call, as wide as the bytes allocated below it. Its callees "
			   "are under it, the allocated types at the end. Point at a box to see "
			   "its source position.");
	fputs("</g>\n", to);
	if (rows)
		fprintf(to, "<script>//<![CDATA[\n%s//]]></script>\n", script);
	svg_end(to);
	free(cut);
}

void flame_release(struct flame *f)
{
	names_release(&f->keys);
	free(f->key);
	free(f->box);
}
