/* overview.c: adds facts and findings to an overview, and words for its commands. */
#include <math.h>
#include <string.h>

#include "cmd/report/overview/overview.h"
#include "cmd/table/region_name.h"
#include "cmd/shared/shell_word.h"

static struct overview_fact fact_of(const struct overview *x, enum overview_section section,
				    char *item, enum overview_unit unit, double value, char *detail)
{
	return (struct overview_fact){
		.section = section,
		.nth = x->fact_n,
		.item = item,
		.unit = unit,
		.value = value,
		.share = unit == UNIT_TIME && x->whole > 0 && section != SECTION_RUN
				 ? 100 * value / x->whole
				 : NAN,
		.detail = detail,
	};
}

void overview_add(struct overview *x, enum overview_section section, char *item,
		  enum overview_unit unit, double value, char *detail)
{
	*array_add(x, fact) = fact_of(x, section, item, unit, value, detail);
}

struct overview_fact *overview_find(struct overview *x, unsigned topic, char *item,
				    enum overview_unit unit, double value, char *detail,
				    char *command)
{
	struct overview_fact *to;
	struct overview_fact f = fact_of(x, SECTION_FINDINGS, item, unit, value, detail);

	f.topic = topic;
	f.command = command;
	f.weight = f.share;
	to = array_add(x, finding);
	*to = f;
	return to;
}

char *overview_name(const struct overview *x, const char *name, size_t width)
{
	char *copy = x->o->format == REPORT_TEXT ? region_name_short(name) : mem_string(name);

	if (x->width)
		region_name_fit(copy, width);
	return copy;
}

static const char *timer_name(const void *of, size_t i)
{
	return ((const struct profile *)of)->timer[i].name;
}

char *overview_word(const struct overview *x, const char *name)
{
	const struct region_list list = {x->p, x->p->timer_n, timer_name};
	size_t i = 0;
	char *word, *out;

	while (i < x->p->timer_n && strcmp(x->p->timer[i].name, name) != 0)
		i++;
	word = i < x->p->timer_n ? region_word(&list, i) : mem_string(name);
	out = shell_word(word);
	free(word);
	return out;
}

char *overview_run(const struct overview *x)
{
	char *run, *db, *both;

	if (!x->o->db)
		return shell_word(x->run->name);
	db = shell_word(x->o->db);
	run = x->o->operand_n ? shell_word(x->o->operand[0]) : mem_string("");
	both = mem_printf("--db %s%s%s", db, *run ? " " : "", run);
	free(db);
	free(run);
	return both;
}
