/* svg.c: text and colours of pictures. */
#include "cmd/picture/svg.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "cmd/table/table_text.h"

const char *const svg_palette[SVG_COLOURS] = {"#0072b2", "#d55e00", "#009e73",
					      "#cc79a7", "#e69f00", "#56b4e9"};

void svg_escaped(FILE *f, const char *s)
{
	table_escaped(f, s);
}

double svg_text_length(const char *s, double size, int bold)
{
	double n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) == 0x80               ? 0
		     : strchr("il.,:;'|!()[] tfj", *s) ? 0.38
		     : strchr("mwMW<=+", *s)           ? 0.86
						       : 0.61;
	return n * size * (bold ? 1.1 : 1);
}

void svg_text(FILE *f, double x, double y, const struct svg_style *style, const char *s)
{
	svg_text_for(f, x, y, style, s, s);
}

void svg_headline(FILE *f, double x, double y, const struct svg_style *style, const char *s)
{
	double length = svg_text_length(s, style->size, style->bold);
	struct svg_style smaller = *style;

	if (style->room > 0 && length > style->room)
		smaller.size *= style->room / length > 0.75 ? 0.999 * style->room / length : 0.75;
	svg_text(f, x, y, &smaller, s);
}

void svg_text_for(FILE *f, double x, double y, const struct svg_style *style, const char *s,
		  const char *whole)
{
	size_t length = strlen(s), head = length / 2, tail = length - head;
	char *cut = mem_string(s);
	int shortened = strcmp(s, whole) != 0;

	while (style->room > 0 && head > 2 && tail > 2 &&
	       svg_text_length(cut, style->size, style->bold) > style->room) {
		/* Whole characters go, from both sides of the middle in turn. */
		if (head >= tail)
			while (head && (s[--head] & 0xc0) == 0x80)
				;
		else
			while (tail && (s[length - --tail] & 0xc0) == 0x80)
				;
		free(cut);
		cut = mem_printf("%.*s\xe2\x80\xa6%s", (int)head, s, s + length - tail);
		shortened = 1;
	}
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" fill=\"%s\" text-anchor=\"%s\"%s>",
		x, y, style->size, style->colour, style->anchor,
		style->bold ? " font-weight=\"bold\"" : "");
	if (shortened) {
		fputs("<title>", f);
		svg_escaped(f, whole);
		fputs("</title>", f);
	}
	svg_escaped(f, cut);
	fputs("</text>\n", f);
	free(cut);
}

/* Rules are stronger than attributes, so a picture needs its colours once only. */
void svg_dark(FILE *f, const struct svg_dark *colour, size_t n)
{
	fputs("<style>@media screen and (prefers-color-scheme: dark) {\n", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "[fill=\"%s\"] { fill: %s } [stroke=\"%s\"] { stroke: %s }\n",
			colour[i].light, colour[i].dark, colour[i].light, colour[i].dark);
	fputs("}</style>\n", f);
}

static void dark_scheme(FILE *f)
{
	static const struct svg_dark colour[] = {
		{"#ffffff", "#17191d"}, {SVG_INK, "#f0f0f0"},   {SVG_SOFT, "#b6b6b6"},
		{SVG_FAINT, "#3a3d42"}, {"#f6f6f6", "#202329"}, {"#332288", "#8f7fe0"},
		{"#882255", "#d06a9b"}, {"#0072b2", "#2f95d6"},
	};

	svg_dark(f, colour, sizeof(colour) / sizeof(*colour));
}

void svg_begin(FILE *f, double width, double height, const char *title)
{
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
		"xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" "
		"width=\"%g\" height=\"%g\" font-family=\"'Helvetica Neue', Helvetica, Arial, "
		"sans-serif\">\n<title>",
		width, height, width, height);
	svg_escaped(f, title);
	fputs("</title>\n", f);
	dark_scheme(f);
	fprintf(f, "<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n", width, height);
}

void svg_end(FILE *f)
{
	fputs("</svg>\n", f);
}
