/* meta_share.c: which attributes of threads are the trial's, for sets that repeat, lack and contradict them. */
#include "convert/tau/meta_share.h"

#include <string.h>

#include "tap.h"

#define NAMES 3

/* One row per thread: its node, and per name ('a', 'b', ..) a digit for the value, '.' if it lacks the name. */
static void check(const char *what, const char *const *thread, size_t n, const char *whole,
		  const char *everywhere)
{
	struct meta_share s = {0};
	char got[2][NAMES + 1] = {"", ""};
	size_t got_n[2] = {0, 0};

	for (size_t t = 0; t < n; t++) {
		char text[NAMES][2][2];
		struct profile_attribute a[NAMES];
		size_t a_n = 0;

		for (size_t i = 0; i < NAMES && thread[t][1 + i]; i++) {
			if (thread[t][1 + i] == '.')
				continue;
			text[i][0][0] = (char)('a' + (int)i);
			text[i][1][0] = thread[t][1 + i];
			text[i][0][1] = text[i][1][1] = 0;
			a[a_n++] = (struct profile_attribute){text[i][0], text[i][1]};
		}
		if (t == 0)
			meta_share_begin(&s, a, a_n, thread[t][0] - '0');
		else
			meta_share_look(&s, a, a_n, thread[t][0] - '0');
	}
	for (size_t id = 0; id < s.v_n; id++) {
		if (meta_share_whole(&s, id))
			got[0][got_n[0]++] = s.name.name[id][0];
		if (meta_share_everywhere(&s, s.name.name[id]))
			got[1][got_n[1]++] = s.name.name[id][0];
	}
	ok(!strcmp(got[0], whole) && !strcmp(got[1], everywhere), "%s: '%s' '%s'", what, got[0],
	   got[1]);
	meta_share_release(&s);
}
#define CHECK(what, whole, everywhere, ...)                                                        \
	check(what, (const char *const[]){__VA_ARGS__},                                            \
	      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), whole, everywhere)

int main(void)
{
	struct meta_share s = {0};
	const struct profile_attribute twice[] = {{(char *)"a", (char *)"1"},
						  {(char *)"a", (char *)"2"}};

	CHECK("one thread", "abc", "abc", "0123");
	CHECK("a differs, b and c are equal", "bc", "bc", "0123", "1923");
	CHECK("b and c are in the first file only", "bc", "", "0123", "19..");
	CHECK("b is in some files", "b", "", "0123", "1924", "29.5");
	CHECK("as TAU writes it, c of the last node is another", "bc", "", "0123", "19..", "28.4");
	CHECK("b is repeated, so a missing c has no value", "b", "b", "0123", "192.", "2824");
	CHECK("threads of the first node repeat it", "bc", "", "0123", "0923", "19..", "28.4");
	CHECK("a name that the first thread lacks", "b", "b", "0.2.", "1121");

	meta_share_begin(&s, twice, 2, 0);
	meta_share_look(&s, &twice[1], 1, 1);
	ok(meta_share_everywhere(&s, "a"), "of several values of a name, the last holds");
	meta_share_look(&s, twice, 2, 1);
	ok(meta_share_everywhere(&s, "a"), "also in another thread");
	ok(!meta_share_everywhere(&s, "b"), "a name that is not there");
	meta_share_release(&s);
	return tap_end();
}
