/* db_command.h: the commands of tau-db, one row each: its options, its help and what it runs. */
#ifndef DB_COMMAND_H
#define DB_COMMAND_H

#include "cmd/shared/db_timeout.h"
#include "cmd/shared/option.h"
#include "cmd/table/table.h"
#include "db/db.h"

struct db_command {
	struct program program;
	int (*run)(int n, char **operand, struct error *e);
	int guarded;	/* its operands may be archives that a library reads (guard.h) */
};

extern const struct db_command command_import, command_list, command_show, command_query, command_tag,
	command_rename, command_rm, command_merge, command_check, command_gc,
	command_export;

/* What --db, --format and --timeout are, for all commands. */
struct db_common {
	const char *file, *format, *timeout;
};
extern struct db_common db_common;

#define OPTION_DB                                                                                  \
	{                                                                                          \
		'd', "db", OPTION_TEXT, "FILE",                                                    \
			"use the database FILE (default: $TAUDB, else tau.db)", &db_common.file    \
	}
#define OPTION_FORMAT                                                                              \
	{                                                                                          \
		'f', "format", OPTION_TEXT, "FORMAT", "print text (default), csv or json",         \
			&db_common.format                                                          \
	}

#define OPTION_WHERE(to)                                                                           \
	{                                                                                          \
		'W', "where", OPTION_TEXT, "CONDITION",                                            \
			"select trials: 'application=lu and PEs>=4'", &to                          \
	}

/* The file of --db, $TAUDB or tau.db. */
const char *db_file(void);
/* What the operands are, for all that looks at them. */
struct inputs *db_inputs(void);
/* Opens that file, for as long as --timeout permits. */
int db_open_file(enum db_mode mode, struct db **out, struct error *e);
/* The limit of --timeout; 0: none. */
int db_limit(uint64_t *ns, struct error *e);
/* The format of --format; text without it. */
int db_format(enum table_format *as, struct error *e);

#endif
