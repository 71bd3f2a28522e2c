/* run_facts.c: finds and writes what is stored with each run. */
#include "cmd/experiment/run_facts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/experiment/place.h"
#include "cmd/experiment/run_plan.h"
#include "convert/code/compiler.h"
#include "convert/io/whole_file.h"
#include "convert/text/json_parts.h"
#include "record/metadata.h"

/* The commit of the tree of git that a folder is in, with "-dirty" if files differ from it. */
static char *commit_of(struct run_signals *s, char *folder)
{
	char *const argv[] = {"GIT_OPTIONAL_LOCKS=0",
			      "git",
			      "-C",
			      folder,
			      "describe",
			      "--always",
			      "--dirty",
			      "--abbrev=40",
			      "--exclude=*",
			      NULL};
	int status = -1;
	const struct run_child c = {.argv = argv, .status = &status};
	struct error none = {0};
	char *line;

	if (!run_capture(s, &c, RUN_LINE_FIRST, &line, &none) && !status)
		return line;
	free(line);
	return NULL;
}

void program_facts_find(struct program_facts *f, struct run_signals *s, const char *program)
{
	char *found = place_find(program), path[PATH_MAX], *slash;

	f->known = 1;
	if (found && realpath(found, path)) {
		f->compiler = compiler_of(path);
		slash = strrchr(path, '/');
		*slash = 0;
		f->commit = commit_of(s, *path ? path : "/");
	}
	if (!f->commit)
		f->commit = commit_of(s, ".");
	free(found);
}

void program_facts_release(struct program_facts *f)
{
	free(f->commit);
	free(f->compiler);
	*f = (struct program_facts){0};
}

static void fact_put(FILE *f, const char *name, const char *value)
{
	if (!value)
		return;
	fputs(ftell(f) > 1 ? ",\n" : "\n", f);
	json_text(f, name);
	fputs(": ", f);
	json_text(f, value);
}

static void number_put(FILE *f, const char *name, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.12g", value);
	fact_put(f, name, text);
}

int run_facts_write(const struct run_plan *p, const struct planned_run *r,
		    const struct program_facts *facts, const char *command, double seconds,
		    struct error *e)
{
	const struct experiment_cell *c = &p->cell[r->cell];
	char *path = run_path(p->x, r, ".json");
	struct whole w;
	int code = whole_open(&w, path, e);

	if (code == 0) {
		putc('{', w.file);
		fact_put(w.file, TAU_META_EXPERIMENT_ID, p->x->id);
		fact_put(w.file, TAU_META_EXPERIMENT_RUN, r->name);
		if (c->size)
			number_put(w.file, TAU_META_EXPERIMENT_SIZE, (double)c->size);
		number_put(w.file, TAU_META_EXPERIMENT_REPEAT, (double)r->repeat);
		fact_put(w.file, TAU_META_EXPERIMENT_VARIANT, c->variant ? c->variant->name : NULL);
		fact_put(w.file, TAU_META_EXPERIMENT_COMMAND, command);
		fact_put(w.file, TAU_META_EXPERIMENT_RECORD, p->x->record);
		number_put(w.file, TAU_META_EXPERIMENT_SECONDS, seconds);
		fact_put(w.file, TAU_META_EXPERIMENT_COMMIT, facts->commit);
		fact_put(w.file, TAU_META_EXPERIMENT_COMPILER, facts->compiler);
		fputs("\n}\n", w.file);
		code = whole_close(&w, path, 0, e);
	}
	free(path);
	return code;
}
