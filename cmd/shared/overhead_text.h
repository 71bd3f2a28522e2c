/* overhead_text.h: an overhead (cmd/record/summary/overhead.h has the definition) as tau-record and reports print it. */
#ifndef OVERHEAD_TEXT_H
#define OVERHEAD_TEXT_H

/*
 * CPU time that was added, over that without recording, in one unit: "44 %", with the two digits that an estimate has; 9900 % at most,
 * because above there is no base. Returns out.
 */
const char *overhead_text(double added, double alone, char out[40]);

enum overhead_how {
	OVERHEAD_ESTIMATE,
	OVERHEAD_SHOWN,		/* by a run without recording */
	OVERHEAD_LEAST,		/* an estimate without that by which the profile hook slows an interpreter */
};

/* An overhead, in one unit of CPU time. Of an estimate `added` is between least and most; most 0: how far off it is is unknown. */
struct overhead_range {
	double added, alone, least, most;
	enum overhead_how how;
};

/* What is not in an overhead of that kind, and which options measure or avoid it; NULL: nothing. */
const char *overhead_missing(enum overhead_how how);

/*
 * "30 to 52 % of the program's own CPU time, estimated"; "44 % of the program's own CPU time, measured" if a run without recording
 * shows it (tau-record --against); "at least 44 % ..., estimated" if a part is not in it; "about 44 % ..., estimated" if the interval is
 * unknown, or too narrow to be seen. To be freed.
 */
char *overhead_sentence(const struct overhead_range *o);

#endif
