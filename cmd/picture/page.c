/* page.c: writes a page for a browser that needs nothing else. */
#include "cmd/picture/page.h"

#include <string.h>

#include "analyze/base/base.h"
#include "cmd/table/table_text.h"

static const char style[] =
#include "page_css.inc"
	;
static const char script[] =
#include "page_js.inc"
	;

void page_line(struct page *p, char *line)
{
	*array_add(p, line) = line;
}

void page_section(struct page *p, const char *id, const char *title, char *text, size_t length)
{
	*array_add(p, section) = (struct page_section){
		.id = mem_string(id), .title = mem_string(title), .text = text, .length = length};
}

/* Inside a page a picture has no line with the version of XML. */
void page_figure(FILE *f, const char *svg)
{
	const char *from = strstr(svg, "<svg");

	fprintf(f, "<figure>\n%s</figure>\n", from ? from : "");
}

static void print_head(const struct page *p, FILE *f)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>",
	      f);
	table_escaped(f, p->title);
	fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
	table_escaped(f, p->title);
	fputs("</h1>\n", f);
	for (size_t i = 0; i < p->line_n; i++) {
		fputs("<p>", f);
		table_escaped(f, p->line[i]);
		fputs("</p>\n", f);
	}
}

void page_print(const struct page *p, FILE *f)
{
	print_head(p, f);
	if (p->section_n > 1) {
		fputs("<nav aria-label=\"sections\">\n", f);
		for (size_t i = 0; i < p->section_n; i++)
			fprintf(f, "<a href=\"#%s\">%s</a>\n", p->section[i].id,
				p->section[i].title);
		fputs("</nav>\n", f);
	}
	fputs("<main>\n", f);
	for (size_t i = 0; i < p->section_n; i++) {
		const struct page_section *s = &p->section[i];

		fprintf(f, "<section id=\"%s\">\n<h2>%s</h2>\n", s->id, s->title);
		fwrite(s->text, 1, s->length, f);
		fputs("</section>\n", f);
	}
	fprintf(f, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", script);
}

void page_release(struct page *p)
{
	for (size_t i = 0; i < p->section_n; i++) {
		free(p->section[i].id);
		free(p->section[i].title);
		free(p->section[i].text);
	}
	for (size_t i = 0; i < p->line_n; i++)
		free(p->line[i]);
	free(p->line);
	free(p->section);
}
