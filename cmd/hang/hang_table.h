/* hang_table.h: who waits for whom, as a table: sentences as its notes, and a row for threads in the same state. */
#ifndef HANG_TABLE_H
#define HANG_TABLE_H

#include "analyze/hang/hang.h"
#include "cmd/hang/hang_style.h"
#include "cmd/table/table_fields.h"

/* Its columns. */
extern const struct table_field hang_fields[];

/* Without rows, with sentences and facts; free it with table_free(). */
struct table *hang_table_new(const struct hang_style *s, const struct hang *h);
/* Adds the rows, at most `most` of them. */
void hang_table_rows(struct table *t, const struct hang_style *s, const struct hang *h, size_t most);

#endif
