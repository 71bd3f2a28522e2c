/*
 * table_formula.h: formulas over the columns and facts of a table, as in "100 * exclusive / whole_us".
 *
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }
 *   factor  = NUMBER | NAME | FUNCTION "(" sum { "," sum } ")" | "(" sum ")" | "-" factor
 *
 * FUNCTION is max, min or log2. NAME is the key of a column or of a fact, with or without the unit at its end:
 * "mean" is mean_us, too, and "whole_us" is the fact "whole" in microseconds. Times are computed in one unit.
 */
#ifndef TABLE_FORMULA_H
#define TABLE_FORMULA_H

#include "cmd/table/table_model.h"

/* The value for the row in the unit of the column that it explains; NaN if a name is missing or has no value. */
double table_formula_value(const struct table *t, size_t column, size_t row, const char *formula);
/* Value of a cell, NaN if it is not a number. */
double table_cell_value(const struct cell *c);

enum formula_names { FORMULA_KEYS, FORMULA_HEADINGS, FORMULA_VALUES };
/* The formula with the keys of columns and facts, with headings, or with the values of the row. To be freed. */
char *table_formula_text(const struct table *t, size_t column, size_t row, const char *formula,
			 enum formula_names names);

#endif
