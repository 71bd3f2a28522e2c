/* event_fields.c: fields of events as numbers and text, lists of a batch, states, and when an index is used. */
#include "analyze/trace/event_fields.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/trace/event.h"
#include "analyze/trace/index_policy.h"
#include "tap.h"

static void test_columns(void)
{
	size_t wrong = 0, fields = 0;

	for (uint32_t kind = 0; kind < EVENT_KINDS; kind++)
		for (const struct event_field *f = event_row[kind].field; f->name; f++) {
			fields++;
			wrong += f->at >= sizeof(struct event_args) || f - event_row[kind].field >= EVENT_FIELDS_MOST;
		}
	ok(fields > 20 && !wrong, "%zu fields are inside the arguments", fields);
	for (uint32_t kind = 0; kind < EVENT_KINDS; kind++) {
		ok(event_row[kind].title && *event_row[kind].title, "kind %u is called %s", kind, event_row[kind].title);
		for (const struct event_field *f = event_row[kind].field; f->name; f++) {
			const struct event_field *found = event_in_column(kind, (enum event_column)f->column);

			wrong += f->column && (!found || found->column != f->column);
		}
	}
	ok(!wrong, "a field is found by its column");
	ok(!event_in_column(EVENT_ENTER, (enum event_column)200), "no field has a column that is not there");
}

static const struct event_field *field(uint32_t kind, const char *name)
{
	const struct event_field *f = event_row[kind].field;

	while (f->name && strcmp(f->name, name) != 0)
		f++;
	return f->name ? f : NULL;
}

static void test_numbers(void)
{
	struct event ev = {.kind = EVENT_SEND};
	struct event_args a = {.message = {.comm = 3, .peer = -1, .tag = INT64_MIN, .bytes = UINT64_MAX}};
	size_t numbers = 0;
	int negative = 0, large = 0;

	for (const struct event_field *f = event_row[EVENT_SEND].field; f->name; f++) {
		if (!event_field_is_number(f))
			continue;
		numbers++;
		if (event_field_is_unsigned(f))
			large |= (uint64_t)event_field_number(f, &ev, &a) == UINT64_MAX;
		else
			negative |= event_field_number(f, &ev, &a) == INT64_MIN;
	}
	ok(numbers >= 3 && negative && large, "a send has %zu numbers, with the least and the largest value", numbers);
	a = (struct event_args){.value = {.value = 1.5}};
	for (const struct event_field *f = event_row[EVENT_VALUE].field; f->name; f++)
		negative += !event_field_is_number(f) && event_field_double(f, &a) == 1.5;
	ok(negative == 2, "a value is a number with a fraction");
}

static void test_text(void)
{
	struct trace_region region[2] = {{.name = "main"}, {.name = "step"}};
	struct trace_event event[1] = {{.name = "bytes"}};
	struct trace t = {.region = region, .region_n = 2, .event = event, .event_n = 1};
	const uint32_t regions[] = {0, 1};
	struct event_args value = {.value = {.event = 0, .value = 2}},
			  fold = {.fold = {.path = {0, 2}, .calls = 7}};
	const struct event_field *path = field(EVENT_FOLD, "path");
	int found = 0;

	for (const struct event_field *f = event_row[EVENT_VALUE].field; f->name; f++) {
		const char *text = event_field_text(f, &t, &value, NULL);

		found += text && !strcmp(text, "bytes");
	}
	ok(found == 1, "a value has the name of its event");
	found = 0;
	for (const struct event_field *f = event_row[EVENT_FOLD].field; f->name; f++) {
		const char *text = event_field_text(f, &t, &fold, regions);

		found += text && !strcmp(text, "step");
	}
	ok(found == 1, "a path has the name of its last region");
	ok(!path || event_field_list(path, &fold).n == 2, "and two elements");
}

static void test_batch(void)
{
	uint32_t regions[] = {4, 5, 6}, code[] = {7, 8};
	struct event_batch b = {.regions = regions, .regions_n = 3, .code = code, .code_n = 2};
	struct event_frame room[4] = {{.region = 9}};
	struct event_state from = {.time = 5, .frame = NULL, .frame_n = 3, .in_use = 1}, to = {.frame = room, .frame_cap = 4, .frame_n = 1};

	ok(event_regions(&b, (struct event_list){1, 2})[0] == 5, "a list of regions");
	ok(event_code(&b, (struct event_list){1, 1})[0] == 8, "a list of code");
	ok(!event_regions(&b, (struct event_list){1, 0}) && !event_code(&b, (struct event_list){0, 0}), "empty lists");
	event_state_copy(&to, &from);
	ok(to.time == 5 && to.in_use && to.frame == room && to.frame_cap == 4 && !to.frame_n, "a state is taken without its frames");
}

static void test_policy(void)
{
	static const struct {
		enum index_policy policy;
		uint64_t records, needed;
		enum index_action action;
	} cases[] = {
		{INDEX_NEVER, 9000000, 9000000, INDEX_IGNORED},
		{INDEX_ALWAYS, 10, 1, INDEX_MADE},
		{INDEX_USE, 9000000, 9000000, INDEX_READ},
		{INDEX_AUTO, 9000000, 9000000, INDEX_MADE},
		{INDEX_AUTO, 9000000, 4500000, INDEX_MADE},
		{INDEX_AUTO, 9000000, 4499999, INDEX_READ}, /* less than half of the stream */
		{INDEX_AUTO, INDEX_RECORDS, INDEX_RECORDS, INDEX_MADE},
		{INDEX_AUTO, INDEX_RECORDS - 1, INDEX_RECORDS - 1, INDEX_READ},
		{INDEX_AUTO, 9000000, 0, INDEX_READ}, /* unknown */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(index_action(cases[i].policy, cases[i].records, cases[i].needed) == cases[i].action,
		   "policy %d, %llu of %llu records", (int)cases[i].policy, (unsigned long long)cases[i].needed,
		   (unsigned long long)cases[i].records);
}

int main(void)
{
	test_columns();
	test_numbers();
	test_text();
	test_batch();
	test_policy();
	return tap_end();
}
