/*
 * page.h: a page for a browser that needs nothing else: sections of tables (table.h, TABLE_AS_HTML) and pictures (SVG), with its
 * style and its scripts. A policy in its head forbids the browser to load anything.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stddef.h>
#include <stdio.h>

struct page_section {
	char *id, *title;	/* id: of links, letters and signs only */
	char *text;		/* HTML */
	size_t length;
};

struct page {
	const char *title;
	char **line;		/* sentences below it */
	size_t line_n, line_cap;
	struct page_section *section;
	size_t section_n, section_cap;
};

/* Takes over the sentence. */
void page_line(struct page *p, char *line);
/* Takes over text. */
void page_section(struct page *p, const char *id, const char *title, char *text, size_t length);
/* Writes a picture, which is a whole SVG file, as a part of a section. */
void page_figure(FILE *f, const char *svg);
void page_print(const struct page *p, FILE *f);
void page_release(struct page *p);

#endif
