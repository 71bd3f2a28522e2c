/* overhead_text.c: prints overheads. */
#include "cmd/shared/overhead_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

char *overhead_sentence(const struct overhead_range *o)
{
	static const char *const words[] = {[OVERHEAD_ESTIMATE] = "about ",
					    [OVERHEAD_SHOWN] = "",
					    [OVERHEAD_LEAST] = "at least "};
	const int ranged = o->how != OVERHEAD_SHOWN && o->most > 0;
	const double cpu = o->added + o->alone;
	char share[40], most[40];

	overhead_text(ranged ? o->least : o->added, ranged ? cpu - o->least : o->alone, share);
	overhead_text(o->most, cpu - o->most, most);
	if (!ranged || o->how == OVERHEAD_LEAST || !strcmp(share, most))
		return mem_printf("%s%s of the program's own CPU time, %s", words[o->how], share,
				  o->how == OVERHEAD_SHOWN ? "measured" : "estimated");
	return mem_printf("%.*s to %s of the program's own CPU time, estimated",
			  (int)strcspn(share, " "), share, most);
}
