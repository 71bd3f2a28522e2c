/* cells_option.h: --cells N|TIME: cuts a window into N parts, or into parts of a length. */
#ifndef CELLS_OPTION_H
#define CELLS_OPTION_H

#include "analyze/base/base.h"

#define CELLS_MOST 4096

struct cells_wanted {
	size_t n; /* 0: cells of `length` */
	int64_t length; /* ns; they begin at multiples of it */
};

/* text: of --cells, NULL: it was not given, and there are `standard` cells. */
int cells_read(const char *text, size_t standard, struct cells_wanted *out, struct error *e);
/* ERROR_USAGE: a window of this length has too many such cells. text: as above. */
int cells_check(const char *text, const struct cells_wanted *w, int64_t length, struct error *e);

#endif
