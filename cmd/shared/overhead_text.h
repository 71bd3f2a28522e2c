/* overhead_text.h: an overhead (cmd/record/overhead.h has the definition) as tau-record and reports print it. */
#ifndef OVERHEAD_TEXT_H
#define OVERHEAD_TEXT_H

/*
 * CPU time that was added, over that without recording, in one unit: "44 %", with the two digits that an estimate has; 9900 % at most,
 * because above there is no base. Returns out.
 */
const char *overhead_text(double added, double alone, char out[40]);

/*
 * "about 44 % of the program's own CPU time, estimated"; "44 % of the program's own CPU time, measured" if a run without recording
 * shows it (tau-record --against). To be freed.
 */
char *overhead_sentence(double added, double alone, int measured);

#endif
