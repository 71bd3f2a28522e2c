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

char *overhead_sentence(double added, double alone, int measured)
{
	char share[40];

	return mem_printf("%s%s of the program's own CPU time, %s", measured ? "" : "about ",
			  overhead_text(added, alone, share),
			  measured ? "measured" : "estimated");
}
