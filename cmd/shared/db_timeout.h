/* db_timeout.h: the option --timeout of programs that read a database. */
#ifndef DB_TIMEOUT_H
#define DB_TIMEOUT_H

#include "analyze/base/base.h"

/* text: as it was given; NULL: no limit, 0 ns. ERROR_USAGE: it is not a time. */
int db_timeout(const char *text, uint64_t *limit_ns, struct error *e);

#define OPTION_TIMEOUT(to)                                                                         \
	{                                                                                          \
		0, "timeout", OPTION_TEXT, "TIME",                                                 \
			"stop reading the database after TIME, such as 500ms or 10m (default "     \
			"unit: s; default: no limit)",                                             \
			&to                                                                        \
	}

#endif
