/* hang_style.h: how names and times are printed: for people or for programs, and in which unit. */
#ifndef HANG_STYLE_H
#define HANG_STYLE_H

#include "analyze/base/quantity.h"
#include "analyze/trace/trace.h"
#include "cmd/table/table_unit.h"

struct hang_style {
	const struct trace *trace;
	int text;			/* for people: places are short */
	const struct table_unit *unit;	/* of times in sentences; NULL: the one that suits each */
};

/* A name of the trace, and open regions, the outermost first; to be freed. */
char *hang_style_name(const struct hang_style *s, const char *name);
char *hang_style_path(const struct hang_style *s, const uint32_t *region, size_t n);
/* Writes a time in a sentence, and a moment of the run, to text, and returns it. */
const char *hang_style_time(const struct hang_style *s, double ns, char text[QUANTITY_TEXT]);
const char *hang_style_moment(const struct hang_style *s, double ns, char text[QUANTITY_TEXT]);

#endif
