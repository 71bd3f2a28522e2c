/* overview.c: adds facts and findings to an overview, and words for its commands. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyze/trace/region_names.h"
#include "cmd/report/overview.h"

static struct overview_fact fact_of(const struct overview *x, const char *section, char *item,
				    enum overview_unit unit, double value, char *detail)
{
	return (struct overview_fact){
		.section = section,
		.nth = x->fact_n,
		.item = item,
		.unit = unit,
		.value = value,
		.share = unit == UNIT_TIME && x->whole > 0 && strcmp(section, "run") != 0
				 ? 100 * value / x->whole
				 : NAN,
		.detail = detail,
	};
}

void overview_add(struct overview *x, const char *section, char *item, enum overview_unit unit,
		  double value, char *detail)
{
	*array_add(x, fact) = fact_of(x, section, item, unit, value, detail);
}

void overview_find(struct overview *x, char *item, enum overview_unit unit, double value,
		   char *detail, char *command)
{
	struct overview_fact f = fact_of(x, "findings", item, unit, value, detail);

	f.command = command;
	*array_add(x, finding) = f;
}

static char *quoted(const char *word)
{
	char *out = NULL;
	size_t n;
	FILE *f;
	int plain = *word != 0;

	for (const char *c = word; *c; c++)
		plain &= isalnum((unsigned char)*c) || strchr("_-./:@+,=", *c) != NULL;
	if (plain)
		return mem_string(word);
	f = open_memstream(&out, &n);
	if (!f)
		return mem_string(word);
	putc('\'', f);
	for (const char *c = word; *c; c++)
		if (*c == '\'')
			fputs("'\\''", f);
		else
			putc(*c, f);
	putc('\'', f);
	fclose(f);
	return out;
}

static const char *timer_name(const void *of, size_t i)
{
	return ((const struct profile *)of)->timer[i].name;
}

/* The innermost name, if it means this region only. */
char *overview_word(const struct overview *x, const char *name)
{
	const struct region_list list = {x->p, x->p->timer_n, timer_name};
	size_t n = strcspn(name, "([<"), begin = n = n ? n : strlen(name);
	char *bare, *word = NULL;
	struct regions found = {0};
	struct error none = {0};

	while (n && name[n - 1] == ' ')
		begin = --n;
	while (begin && name[begin - 1] != ' ')
		begin--;
	bare = mem_printf("%.*s", (int)(n - begin), name + begin);
	if (*bare && region_find_in(&list, bare, &found, "", &none) == 1 &&
	    !strcmp(x->p->timer[found.v[0]].name, name))
		word = quoted(bare);
	free(found.v);
	free(bare);
	return word ? word : quoted(name);
}

char *overview_run(const struct overview *x)
{
	char *run, *db, *both;

	if (!x->o->db)
		return quoted(x->run->name);
	db = quoted(x->o->db);
	run = x->o->operand_n ? quoted(x->o->operand[0]) : mem_string("");
	both = mem_printf("--db %s%s%s", db, *run ? " " : "", run);
	free(db);
	free(run);
	return both;
}
