/*
 * table_sort.h: the rows of a table in the order of a column.
 */
#ifndef TABLE_SORT_H
#define TABLE_SORT_H

#include "cmd/table/table.h"

/*
 * Sorts the rows by a column, which its key or its heading (with or without its unit) names: numbers from the largest to the
 * smallest, then words from A to Z; reversed: both the other way round. Missing cells are last. Rows that are equal keep their
 * order, rows that continue another (table_row_more()) follow it, and rows of the head (table_head()) or below the next line
 * (table_rule()) stay where they are. 0: there is no such column, or the rows keep their order (table_keep_order()).
 */
int table_sort(struct table *t, const char *column, int reversed);

/* Keeps the first n of the rows that table_sort() moves, and what continues them. The number of rows that there were. */
size_t table_cut(struct table *t, size_t n);

#endif
