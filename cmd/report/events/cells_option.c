/* cells_option.c: reads --cells. */
#include "cmd/report/events/cells_option.h"

#include <ctype.h>
#include <string.h>

#include "analyze/base/quantity.h"

int cells_read(const char *text, size_t standard, struct cells_wanted *out, struct error *e)
{
	static const struct quantity_option time = {
		"--cells", QUANTITY_TIME, NULL, .least = "1ns", .example = "1ms"};
	char *end;

	*out = (struct cells_wanted){.n = standard};
	if (!text)
		return 0;
	out->n = isdigit((unsigned char)*text) ? (size_t)strtoull(text, &end, 10) : 0;
	if (out->n && out->n <= CELLS_MOST && !*end)
		return 0;
	out->n = 0;
	if (quantity_read(QUANTITY_TIME, text, strlen(text), NULL, &out->length) &&
	    out->length > 0)
		return 0;
	if (isdigit((unsigned char)*text) && strspn(text, "0123456789") == strlen(text))
		return error_set(e, ERROR_USAGE, "--cells needs a number from 1 to %d, or a time",
				 CELLS_MOST);
	return quantity_option(&time, text, &out->length, e);
}

int cells_check(const char *text, const struct cells_wanted *w, int64_t length, struct error *e)
{
	if (!w->length || length / w->length < CELLS_MOST)
		return 0;
	return error_set(e, ERROR_USAGE,
			 "--cells %s: the window has more than %d such cells; choose "
			 "longer ones, or a shorter window with -w",
			 text, CELLS_MOST);
}
