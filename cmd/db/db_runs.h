/* db_runs.h: the runs of an import: patterns become names, and each trial is stored with the place and the command line it comes from. */
#ifndef DB_RUNS_H
#define DB_RUNS_H

#include "cmd/shared/option.h"
#include "db/db.h"

/* Keeps the command line, before options_parse(), which moves its words; then word number at is the command, and these its operands. */
void runs_command(int argc, char **argv);
void runs_operands(int at, int n, char **operand);

/* run is the next that is stored. runs_origin() describes it until the next call. */
void runs_begin(const char *run);
const struct db_origin *runs_origin(void);

/* What patterns matched. */
struct runs_found {
	void **v;
	size_t v_n, v_cap;
};

/* A pattern that is no file's name means all names that match, or itself if none does. The names live until runs_release(). */
void runs_expand(struct option_list *out, int n, char **word, struct runs_found *found);
int runs_is_pattern(const char *word);
void runs_release(struct runs_found *found);

#endif
