/* run_facts.h: what is stored with each run: its size, repeat and variant, the command, the commit and the compiler of the program. */
#ifndef RUN_FACTS_H
#define RUN_FACTS_H

#include "cmd/experiment/experiment_types.h"
#include "cmd/experiment/run_child.h"

/* Of one program: found once. NULL: unknown. */
struct program_facts {
	char *commit, *compiler;
	int known;
};
void program_facts_find(struct program_facts *f, struct run_signals *s, const char *program);
void program_facts_release(struct program_facts *f);

/* Writes the facts of a run as JSON, which tau-db reads as metadata. command: as a shell has it. ERROR_SYSTEM: the file cannot be written. */
int run_facts_write(const struct run_plan *p, const struct planned_run *r, const struct program_facts *f,
		    const char *command, double seconds, struct error *e);

#endif
