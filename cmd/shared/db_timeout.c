/* db_timeout.c: the option --timeout of programs that read a database. */
#include "cmd/shared/db_timeout.h"

#include "cmd/shared/quantity.h"

int db_timeout(const char *text, uint64_t *limit_ns, struct error *e)
{
	*limit_ns = 0;
	if (!text || (quantity_time(text, limit_ns) == 0 && *limit_ns))
		return 0;
	return error_set(e, ERROR_USAGE,
			 "--timeout: '%s' is not a time such as 500ms, 10 (seconds) or 5m", text);
}
