/* run_plan.c: orders the runs of an experiment, and finds those that are complete. */
#include "cmd/experiment/run_plan.h"

#include <math.h>
#include <string.h>

#include "convert/io/paths.h"

static char *run_name(const struct experiment_cell *c, long repeat)
{
	char *size = c->size ? mem_printf("n%ld-", c->size) : mem_string("");
	char *name = mem_printf("%s%s%sr%ld", c->variant ? c->variant->name : "",
				c->variant ? "-" : "", size, repeat);

	free(size);
	return name;
}

size_t run_plan_add(struct run_plan *p, size_t cell, long repeat)
{
	struct planned_run *r = array_add(p, run);

	r->name = run_name(&p->cell[cell], repeat);
	r->cell = cell;
	r->repeat = repeat;
	r->span_ns = NAN;
	return p->run_n - 1;
}

size_t run_plan_cell(const struct run_plan *p, long round, size_t i)
{
	return round % 2 ? i : p->cell_n - 1 - i;
}

static void cell_add(struct run_plan *p, long size, const struct experiment_variant *v)
{
	struct experiment_cell *c = array_add(p, cell);

	c->size = size;
	c->variant = v;
}

void run_plan_make(struct run_plan *p, const struct experiment *x)
{
	*p = (struct run_plan){.x = x};
	for (size_t s = 0; s < x->size_n || s < 1; s++)
		for (size_t v = 0; v < x->variant_n || v < 1; v++)
			cell_add(p, x->size_n ? x->size[s] : 0,
				 x->variant_n ? &x->variant[v] : NULL);
	for (long r = 1; r <= x->repeat; r++)
		for (size_t i = 0; i < p->cell_n; i++)
			run_plan_add(p, run_plan_cell(p, r, i), r);
}

void run_plan_release(struct run_plan *p)
{
	for (size_t i = 0; i < p->run_n; i++) {
		free(p->run[i].name);
		free(p->run[i].why);
	}
	free(p->run);
	free(p->cell);
	*p = (struct run_plan){0};
}

char *run_path(const struct experiment *x, const struct planned_run *r, const char *ending)
{
	return mem_join(x->output, "/", r->name, ending, NULL);
}

static int is_recorded(const struct experiment *x, const struct planned_run *r)
{
	char *path = run_path(x, r, "");
	int is = path_is_directory(path);

	free(path);
	return is;
}

void run_plan_resume(struct run_plan *p)
{
	for (size_t i = 0; i < p->run_n; i++)
		if (is_recorded(p->x, &p->run[i]))
			p->run[i].state = RUN_RECORDED;
	for (long r = p->x->repeat + 1; p->x->until && r <= p->x->most; r++)
		for (size_t i = 0; i < p->cell_n; i++) {
			size_t at = run_plan_add(p, run_plan_cell(p, r, i), r);

			if (is_recorded(p->x, &p->run[at]))
				p->run[at].state = RUN_RECORDED;
			else
				free(p->run[--p->run_n].name);
		}
}

size_t run_plan_count(const struct run_plan *p, size_t cell, enum run_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < p->run_n; i++)
		n += p->run[i].cell == cell && p->run[i].state == state;
	return n;
}

char *cell_words(const struct experiment_cell *c)
{
	char *size = c->size ? mem_printf("size %ld", c->size) : mem_string("");
	char *words = mem_join(size, c->size && c->variant ? ", " : "",
			       c->variant ? c->variant->name : "", NULL);

	free(size);
	return words;
}
