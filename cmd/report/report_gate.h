/* report_gate.h: verdicts for continuous integration: the gate of an option, exit statuses, JUnit XML and GitHub annotations. */
#ifndef REPORT_GATE_H
#define REPORT_GATE_H

#include <stdio.h>

#include "analyze/compare/gate.h"
#include "cmd/report/report.h"

/* Exit statuses of tau-report(1), besides 0 for PASS and those of errors. */
enum { STATUS_FAIL = 1, STATUS_INCONCLUSIVE = 5 };
int gate_status(enum gate_verdict v);
extern const char *const gate_words[];	/* by verdict: "", "PASS" ... */

/* --gate: "3%" or "3" as 0.03; NULL: NaN. ERROR_USAGE. */
int gate_percent(const char *text, double *gate, struct error *e);
/* --gate in bytes: "0", "4096", "4KiB", "1.5MiB"; NULL: NaN. */
int gate_bytes(const char *text, double *gate, struct error *e);

/* PASS, or FAIL if the value exceeds the gate; NONE if there is none. */
enum gate_verdict gate_limit(double value, double gate);
/* A line above the table, and a fact: "FAIL: gate 0 B". limit: the gate in words. */
void gate_note(struct table *t, enum gate_verdict v, const char *limit);

/* One test: its name, verdict and a sentence. */
struct gate_case {
	char *name, *sentence;
	char *file;		/* of the source, or NULL */
	unsigned line;
	enum gate_verdict verdict;
};

struct gate_cases {
	struct gate_case *v;
	size_t v_n, v_cap;
};

/* Takes name and sentence over. region: full name, from which file and line are read; may be NULL. */
void gate_case_add(struct gate_cases *c, char *name, char *sentence, const char *region, enum gate_verdict verdict);
/* JUnit XML or GitHub's workflow commands, as o->format has it. */
void gate_cases_print(const struct gate_cases *c, const struct report_options *o, const char *kind, FILE *f);
void gate_cases_release(struct gate_cases *c);

#endif
