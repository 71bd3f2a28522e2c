/* report_html.c: tau-report html: the whole study of runs on one page, from what the kinds print.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/profile/profile.h"
#include "cmd/picture/page.h"
#include "cmd/report/kinds.h"
#include "cmd/shared/output.h"
#include "cmd/table/table.h"
#include "cmd/report/report_html.h"

/* Rows of a table, if --top is not given: a page can be sorted and searched, but has to stay small.
 */
#define TOP 400

/* What a kind prints: the text of out, to be dropped. */
static int print_tables(const struct report_part *part, struct report_picture *picture,
			struct output *out, struct error *e)
{
	struct report_options o = part->o;
	int rc;

	o.format = REPORT_TEXT;
	o.text_as = TABLE_AS_HTML;
	o.picture = picture;
	rc = part->print(&o, part->runs, out, 0, e);
	fflush(out->file);
	return rc;
}

static int draw(const struct report_part *part, struct report_picture *picture, struct error *e)
{
	struct report_options o = part->o;
	struct output *out;

	o.text_as = TABLE_AS_HTML;
	o.picture = picture;
	report_draws(&o, &out);
	return part->print(&o, part->runs, out, 0, e);
}

/* The picture first. Returns the status of the tables, or of the picture if there are none. */
static int part_print(const struct report_part *part, enum report_page parts, char **body,
		      size_t *length, struct error *e)
{
	const int draws = (parts & REPORT_PAGE_PICTURE) != 0;
	const int prints = (parts & REPORT_PAGE_TABLES) != 0;
	struct report_picture picture = {0};
	struct error none = {0};
	struct output tables;
	FILE *f = mem_stream(body, length);
	int rc = -1, drawn = -1;

	output_open(&tables);
	output_open(&picture.out);
	if (prints)
		rc = print_tables(part, draws ? &picture : NULL, &tables, e);
	if (picture.drawn) {
		drawn = rc;
		rc = 0;
	} else if (draws && (rc >= 0 || e->code == ERROR_USAGE || !prints)) {
		drawn = draw(part, &picture, prints ? &none : e);
	}
	fflush(picture.out.file);
	if (drawn >= 0)
		page_figure(f, picture.out.text);
	if (rc >= 0)
		fputs(tables.text, f);
	fclose(f);
	output_drop(&tables);
	output_drop(&picture.out);
	return rc >= 0 ? rc : drawn;
}

int report_page(const struct report_part *part, const char *kind, struct output *out,
		struct error *e)
{
	char *title = mem_printf("tau-report %s", kind), *body;
	struct page page = {.title = title};
	size_t length;
	int rc = part_print(part, REPORT_PAGE_BOTH, &body, &length, e);

	page_section(&page, kind, kind, body, length);
	if (rc >= 0)
		page_print(&page, out->file);
	page_release(&page);
	free(title);
	return rc;
}

/* ---- a study ---- */

struct study {
	const struct report_options *o;
	const struct report_parts *parts;
	struct page page;
	const struct report_runs *runs;
	size_t only; /* the run with the most PEs, the last one of them */
	char *title, *name;
};

static int study_begin(struct study *s, struct error *e)
{
	struct report_part first;
	size_t most = 0;
	int rc = s->parts->get(s->parts->of, s->o, kind_find("profile"), SIZE_MAX, &first, e);

	if (rc < 0)
		return rc;
	s->runs = first.runs;
	for (size_t k = 0; k < first.runs->run_n; k++) {
		size_t pes = profile_pes(first.runs->run[k].profile);

		if (pes >= most) {
			most = pes;
			s->only = k;
		}
	}
	s->name = mem_string(first.runs->run[s->only].name);
	s->title = first.runs->run_n == 1 ? mem_string(s->name)
					  : mem_printf("%zu runs", first.runs->run_n);
	s->page.title = s->title;
	if (first.runs->run_n > 1)
		page_line(&s->page, mem_printf("Sections about one run show %s: of the runs "
					       "with the most PEs (%zu), the last.",
					       s->name, most));
	page_line(&s->page,
		  s->o->top > 0 ? mem_printf("A table has at most %ld rows (--top).", s->o->top)
		  : s->o->top == 0
			  ? mem_string("Tables have all rows (--top 0).")
			  : mem_printf("A table has at most %d rows; --top 0 lists all.", TOP));
	return first.runs->run_n > 1;
}

/* A section, or the reason why there is none. */
static void section_add(struct study *s, const struct report_kind *of, char **reasons)
{
	struct report_options o = *s->o;
	struct report_part part;
	struct error e = {0};
	size_t length;
	char *body = NULL;
	int rc;

	o.section = 1;
	o.by = of->page_by;
	o.top = o.top < 0 ? TOP : o.top;
	rc = s->parts->get(s->parts->of, &o, of, of->several ? SIZE_MAX : s->only, &part, &e);
	if (rc >= 0)
		rc = part_print(&part, of->page, &body, &length, &e);
	if (rc >= 0) {
		page_section(&s->page, of->name, of->title, body, length);
	} else {
		char *all = mem_printf("%s%s: %s\n", *reasons, of->title, e.text);

		free(*reasons);
		free(body);
		*reasons = all;
	}
}

static void reasons_add(struct study *s, const char *reasons)
{
	char *body;
	size_t length;
	FILE *f = mem_stream(&body, &length);
	struct table *t = table_new(NULL);

	for (const char *at = reasons; *at; at += strcspn(at, "\n") + 1)
		table_note(t, "%.*s", (int)strcspn(at, "\n"), at);
	table_print(t, f, TABLE_AS_HTML, 0);
	table_free(t);
	fclose(f);
	page_section(&s->page, "absent", "Not on this page", body, length);
}

int report_html(const struct report_options *o, const struct report_parts *parts,
		struct output *out, struct error *e)
{
	struct study s = {.o = o, .parts = parts};
	char *reasons = mem_string("");
	int several = study_begin(&s, e);

	for (const struct report_kind *const *k = report_kinds; several >= 0 && *k; k++)
		if ((*k)->title && (several || !(*k)->several))
			section_add(&s, *k, &reasons);
	if (several >= 0) {
		if (*reasons)
			reasons_add(&s, reasons);
		page_print(&s.page, out->file);
	}
	page_release(&s.page);
	free(s.title);
	free(s.name);
	free(reasons);
	return several < 0 ? several : 0;
}
