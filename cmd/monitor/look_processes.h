/* look_processes.h: the processes of a look as a table: what each uses, and its regions with the most time. */
#ifndef LOOK_PROCESSES_H
#define LOOK_PROCESSES_H

#include "cmd/monitor/look.h"
#include "cmd/table/table.h"

/* view: each row is one process, without title and remarks. most: rows; 0: all. Free it with table_free(). */
struct table *look_processes_table(const struct look *l, int view, size_t most);

#endif
