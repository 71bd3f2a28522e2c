/* named.c: the table of the queries that have a name, made from queries.sql. */
#include "db/query.h"

const struct db_named_query db_named_queries[] = {
#include "queries.inc"
	{0},
};
