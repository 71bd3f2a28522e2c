/*
 * table_unit.h: the unit of all times, or of all bytes, of a table.
 */
#ifndef TABLE_UNIT_H
#define TABLE_UNIT_H

#include "cmd/table/table.h"

struct table_unit {
	const char *name;
	double size;	/* in us, or in bytes */
	int bytes;
	int precision;
};
/* ERROR_USAGE: --unit is none of these: ns, us, ms, s, B, KiB, MiB, GiB, TiB, KB, MB, GB, TB. */
int table_unit_get(const char *name, struct table_unit *u, struct error *e);
/*
 * Converts the columns and facts that are times, by their keys ("mean_us", "time_ms_4"), or bytes, by their type or key ("put_bytes");
 * keys and headings follow. The number of columns that are such. A column that is a time has its unit in its key.
 */
size_t table_unit_set(struct table *t, const struct table_unit *u);

#endif
