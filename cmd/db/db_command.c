/* db_command.c: the options that all commands of tau-db have. */
#include "cmd/db/db_command.h"

#include <stdlib.h>

#include "convert/io/input.h"

struct db_common db_common;

const char *db_file(void)
{
	const char *env = getenv("TAUDB");

	return db_common.file ? db_common.file : env && *env ? env : "tau.db";
}

int db_limit(uint64_t *ns, struct error *e)
{
	return db_timeout(db_common.timeout, ns, e);
}

int db_open_file(enum db_mode mode, struct db **out, struct error *e)
{
	uint64_t ns;
	int code = db_limit(&ns, e);

	return code < 0 ? code : db_open_within(db_file(), mode, ns, out, e);
}

int db_format(enum table_format *as, struct error *e)
{
	*as = TABLE_AS_TEXT;
	return db_common.format ? table_format_get(db_common.format, as, e) : 0;
}

struct inputs *db_inputs(void)
{
	static struct inputs known;

	return &known;
}
