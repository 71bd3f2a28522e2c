/* db_timeout.c: the option --timeout of programs that read a database. */
#include "cmd/shared/db_timeout.h"

#include "analyze/base/quantity.h"

int db_timeout(const char *text, uint64_t *limit_ns, struct error *e)
{
	static const struct quantity_option timeout = {"--timeout", QUANTITY_TIME, "s",
						       .least = "1ns", .example = "500ms"};
	int64_t ns = 0;
	int code = text ? quantity_option(&timeout, text, &ns, e) : 0;

	*limit_ns = (uint64_t)ns;
	return code;
}
