/* kinds.c: the table of kinds of report, and which option is for which kind. */
#include "cmd/report/kinds.h"

#include <string.h>

#include "cmd/shared/choice.h"
#include "cmd/shared/option_use.h"

#define KIND(name) extern const struct report_kind kind_##name;
REPORT_KINDS(KIND)
#undef KIND

#define KIND(name) &kind_##name,
const struct report_kind *const report_kinds[] = {REPORT_KINDS(KIND) NULL};
#undef KIND
#define KINDS (sizeof(report_kinds) / sizeof(*report_kinds) - 1)

/* A page of all kinds that have a title. Its printing reads the list, so it is here. */
const struct report_kind kind_html = {
	.name = "html",
	.about = "all of this on one page for a browser",
	.question = QUESTION_OVERVIEW,
	.runs = "[RUN...]",
	.example = "-o study.html run2 run4",
	.options = "metric where",
	.lacks = "sort",
	.whole = 1,
	.format = "html",
};

const struct report_kind *kind_find(const char *name)
{
	for (const struct report_kind *const *k = report_kinds; *k; k++)
		if (!strcmp((*k)->name, name))
			return *k;
	return NULL;
}

char *kinds_with(const char *option)
{
	char *names = mem_string("");

	for (const struct report_kind *const *k = report_kinds; *k; k++) {
		char *longer;

		if (!(*k)->options || !option_is_word((*k)->options, option))
			continue;
		longer = mem_printf("%s%s%s", names, *names ? " " : "", (*k)->name);
		free(names);
		names = longer;
	}
	return names;
}

/* Options that have no effect for this kind, though they have for most. */
static int lacks_check(const struct report_kind *k, const struct option_list *given,
		       struct error *e)
{
	for (size_t i = 0; k->lacks && i < given->v_n; i++)
		if (option_is_word(k->lacks, given->v[i]))
			return error_set(e, ERROR_USAGE,
					 "%s: --%s has no effect on this report; tau-report %s "
					 "--help lists its options",
					 k->name, given->v[i], k->name);
	return 0;
}

const struct report_kind *kind_parse(const char *name, const struct option_list *given,
				    struct error *e)
{
	const char *known[KINDS];
	size_t kind = 0;
	int rc = 0;

	for (size_t i = 0; i < KINDS; i++)
		known[i] = report_kinds[i]->name;
	while (kind < KINDS && strcmp(name, known[kind]) != 0)
		kind++;
	if (kind == KINDS) {
		char *near = choice_near(name, known, KINDS);

		error_set(e, ERROR_USAGE, "'%s' is neither a run nor a kind of report%s", name,
			  *near ? near : "; tau-report --help lists the kinds");
		free(near);
		return NULL;
	}
	rc = lacks_check(report_kinds[kind], given, e);
	for (size_t i = 0; !rc && i < given->v_n; i++) {
		char *kinds = kinds_with(given->v[i]);
		const struct option_use use[] = {{given->v[i], kinds}, {0}};

		if (*kinds)
			rc = option_use_check(given, use, name, e);
		free(kinds);
	}
	return rc ? NULL : report_kinds[kind];
}
