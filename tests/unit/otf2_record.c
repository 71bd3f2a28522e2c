/* otf2_record.c: times and attributes of a record of an archive, whatever its kind. */
#include "tap.h"

#ifdef HAVE_OTF2
#include "convert/otf2/record.h"

/* Times before the limit are taken, also those that fall, which are counted; a limit of 0: only times are wanted. */
static void test_times(void)
{
	static const struct {
		uint64_t limit, stamp, time;
		int taken, wrong;
		uint64_t fell;
	} cases[] = {{100, 5, 6, 1, 0, 0}, {100, 5, 5, 1, 0, 0}, {100, 5, 4, 1, 0, 1}, {100, 5, 99, 1, 0, 0}, {100, 5, 100, 0, 1, 0}, {0, 5, 6, 0, 0, 0},
		     {100, OTF2_UNDEFINED_TIMESTAMP, 6, 1, 0, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace_cursor c = {.limit = cases[i].limit, .stamp = cases[i].stamp};

		ok(archive_at(&c, cases[i].time) == cases[i].taken && !c.wrong == !cases[i].wrong && c.fell == cases[i].fell, "time %llu after %llu: %s",
		   (unsigned long long)cases[i].time, (unsigned long long)cases[i].stamp, c.wrong ? c.wrong : "possible");
	}
}

/* The first attributes of a record, of any type, and no more than there is room for. */
static void test_attributes(void)
{
	static const struct {
		uint32_t ref;
		uint64_t value;
	} cases[] = {{1, 7}, {2, 1ull << 40}, {3, 65535}, {4, 9}, {5, 0}, {9, 0}};
	OTF2_AttributeList *l = OTF2_AttributeList_New();
	struct trace_cursor c = {0};

	archive_tags_read(&c, l);
	ok(!c.given.n && !archive_attribute(&c, 1), "no attribute");
	OTF2_AttributeList_AddUint8(l, 1, 7);
	OTF2_AttributeList_AddUint64(l, 2, 1ull << 40);
	OTF2_AttributeList_AddInt16(l, 3, -1);
	OTF2_AttributeList_AddUint32(l, 4, 9);
	OTF2_AttributeList_AddUint32(l, 5, 10);
	archive_tags_read(&c, l);
	ok(c.given.n == ARCHIVE_GIVEN, "%u attributes of 5 are kept", c.given.n);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(archive_attribute(&c, cases[i].ref) == cases[i].value, "attribute %u is %llu", cases[i].ref, (unsigned long long)cases[i].value);
	OTF2_AttributeList_Delete(l);
}

/* Times of the trace never fall. */
static void test_now(void)
{
	static const struct {
		uint64_t time;
		int64_t last, now;
	} cases[] = {{10, 0, 10}, {10, 10, 10}, {10, 12, 12}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct archive run = {.whole = 1};
		struct trace_cursor c = {.run = &run, .time = cases[i].time, .last = cases[i].last};

		ok(archive_now(&c) == cases[i].now, "time %llu after %lld is %lld", (unsigned long long)cases[i].time, (long long)cases[i].last,
		   (long long)archive_now(&c));
	}
}

int main(void)
{
	test_times();
	test_attributes();
	test_now();
	return tap_end();
}
#else
int main(void)
{
	skip("times and attributes of records", "no OTF2 library");
	return tap_end();
}
#endif
