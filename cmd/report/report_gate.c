/* report_gate.c: reads --gate, and prints verdicts as JUnit XML and GitHub annotations. */
#include "cmd/report/report_gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/trace/timer_name.h"
#include "cmd/picture/svg.h"
#include "cmd/table/table.h"

const char *const gate_words[] = {"", "PASS", "FAIL", "INCONCLUSIVE"};

int gate_status(enum gate_verdict v)
{
	return v == GATE_FAIL ? STATUS_FAIL : v == GATE_INCONCLUSIVE ? STATUS_INCONCLUSIVE : 0;
}

/* Of a gate of this kind; NAN: none is given. */
static int gate_get(const struct quantity_option *option, const char *text, double one,
		    double *gate, struct error *e)
{
	int64_t v;

	*gate = NAN;
	if (!text)
		return 0;
	if (quantity_option(option, text, &v, e))
		return e->code;
	*gate = (double)v / one;
	return 0;
}

int gate_percent(const char *text, double *gate, struct error *e)
{
	static const struct quantity_option percent = {"--gate",    QUANTITY_PERCENT, "",
						       "0.000001%", "10000%",         "3%"};

	return gate_get(&percent, text, 100.0 * QUANTITY_ONE_PERCENT, gate, e);
}

int gate_bytes(const char *text, double *gate, struct error *e)
{
	static const struct quantity_option bytes = {"--gate", QUANTITY_SIZE, "B",
						     .example = "4KiB"};

	return gate_get(&bytes, text, 1, gate, e);
}

enum gate_verdict gate_limit(double value, double gate)
{
	return isnan(gate) ? GATE_NONE : value > gate ? GATE_FAIL : GATE_PASS;
}

void gate_note(struct table *t, enum gate_verdict v, const char *limit)
{
	if (v == GATE_NONE)
		return;
	table_note(t, "%s: gate %s.", gate_words[v], limit);
	table_fact_text(t, "verdict", gate_words[v]);
}

void gate_case_add(struct gate_cases *c, char *name, char *sentence, const char *region,
		   enum gate_verdict verdict)
{
	struct gate_case *to = array_add(c, v);
	struct name_location at;

	*to = (struct gate_case){.name = name, .sentence = sentence, .verdict = verdict};
	if (region && name_location(region, &at)) {
		to->file = mem_printf("%.*s", (int)at.file_n, at.file);
		to->line = at.line;
	}
}

static void junit(const struct gate_cases *c, const char *kind, FILE *f)
{
	size_t count[GATE_INCONCLUSIVE + 1] = {0};

	for (size_t i = 0; i < c->v_n; i++)
		count[c->v[i].verdict]++;
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n<testsuite name=\"tau-report %s\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"0\" skipped=\"%zu\">\n",
		kind, c->v_n, count[GATE_FAIL], count[GATE_INCONCLUSIVE]);
	for (size_t i = 0; i < c->v_n; i++) {
		const struct gate_case *t = &c->v[i];
		const char *element = t->verdict == GATE_FAIL ? "failure" : "skipped";

		fprintf(f, "<testcase classname=\"%s\" name=\"", kind);
		svg_escaped(f, t->name);
		fputs("\">", f);
		if (t->verdict == GATE_FAIL || t->verdict == GATE_INCONCLUSIVE) {
			fprintf(f, "<%s message=\"", element);
			svg_escaped(f, t->sentence);
			fputs("\"/>", f);
		} else {
			fputs("<system-out>", f);
			svg_escaped(f, t->sentence);
			fputs("</system-out>", f);
		}
		fputs("</testcase>\n", f);
	}
	fputs("</testsuite>\n</testsuites>\n", f);
}

/* The characters that end a property or a command. */
static void github_escaped(FILE *f, const char *s, int property)
{
	for (; *s; s++)
		if (*s == '%' || *s == '\r' || *s == '\n' || (property && (*s == ':' || *s == ',')))
			fprintf(f, "%%%02X", (unsigned char)*s);
		else
			fputc(*s, f);
}

static void github(const struct gate_cases *c, FILE *f)
{
	static const char *const command[] = {"notice", "notice", "error", "warning"};

	for (size_t i = 0; i < c->v_n; i++) {
		const struct gate_case *t = &c->v[i];

		/* Regions that pass are no news; the first case is the whole. */
		if (i && t->verdict != GATE_FAIL)
			continue;
		fprintf(f, "::%s ", command[t->verdict]);
		if (t->file) {
			fputs("file=", f);
			github_escaped(f, t->file, 1);
			fprintf(f, ",line=%u,", t->line);
		}
		fputs("title=", f);
		github_escaped(f, t->name, 1);
		fputs("::", f);
		github_escaped(f, t->sentence, 0);
		fputc('\n', f);
	}
}

void gate_cases_print(const struct gate_cases *c, const struct report_options *o, const char *kind,
		      FILE *f)
{
	if (o->format == REPORT_JUNIT)
		junit(c, kind, f);
	else
		github(c, f);
}

void gate_cases_release(struct gate_cases *c)
{
	for (size_t i = 0; i < c->v_n; i++) {
		free(c->v[i].name);
		free(c->v[i].sentence);
		free(c->v[i].file);
	}
	free(c->v);
	memset(c, 0, sizeof(*c));
}
