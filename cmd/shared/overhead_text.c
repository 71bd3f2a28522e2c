/* overhead_text.c: prints overheads. */
#include "cmd/shared/overhead_text.h"

#include <math.h>
#include <stdio.h>

#include "analyze/base/base.h"

#define OVERHEAD_MOST 99

const char *overhead_text(double added, double alone, char out[40])
{
	double share = alone > 0 ? fmin(added / alone, OVERHEAD_MOST) : 0;

	snprintf(out, 40, share >= .995 ? "%.0f %%" : "%.2g %%",
		 share >= .995 ? round(10 * share) * 10 : 100 * share);
	return out;
}

const char *overhead_missing(enum overhead_how how)
{
	return how == OVERHEAD_LEAST
		       ? "Python before 3.12 is slower while its functions are recorded, which is "
			 "not in it: tau-record --against measures it; --sample with -w none, "
			 "and Python 3.12, avoid it"
		       : NULL;
}

char *overhead_sentence(double added, double alone, enum overhead_how how)
{
	static const char *const words[] = {[OVERHEAD_ESTIMATE] = "about ",
					    [OVERHEAD_SHOWN] = "",
					    [OVERHEAD_LEAST] = "at least "};
	char share[40];

	return mem_printf("%s%s of the program's own CPU time, %s", words[how],
			  overhead_text(added, alone, share),
			  how == OVERHEAD_SHOWN ? "measured" : "estimated");
}
