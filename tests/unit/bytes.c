/* bytes.c: numbers and strings out of bytes and back, at their limits, and from bytes that are cut short. */
#include "convert/io/bytes.h"

#include "convert/native/file/native_out.h"
#include "tap.h"

static void test_varints(void)
{
	static const struct {
		uint64_t value;
		size_t bytes;
	} cases[] = {{0, 1},	      {127, 1},		    {128, 2}, {16383, 2}, {16384, 3}, {1ull << 32, 5},
		     {1ull << 63, 10}, {UINT64_MAX, 10}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer out = {0};
		struct bytes in;
		uint64_t v;

		put_varint(&out, cases[i].value);
		in = bytes_of(out.v, out.v_n);
		v = bytes_varint(&in);
		ok(out.v_n == cases[i].bytes && v == cases[i].value && !in.bad && !bytes_left(&in), "varint %llu has %zu bytes",
		   (unsigned long long)v, out.v_n);
		in = bytes_of(out.v, out.v_n - 1);
		v = bytes_varint(&in);
		ok(in.bad && !v && !bytes_left(&in), "and is bad without the last one");
		free(out.v);
	}
}

static void test_signed(void)
{
	static const int64_t cases[] = {0, -1, 1, -64, 64, INT64_MAX, INT64_MIN};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer out = {0};
		struct bytes in;

		put_zigzag(&out, cases[i]);
		in = bytes_of(out.v, out.v_n);
		ok(bytes_zigzag(&in) == cases[i] && !in.bad, "signed %lld comes back", (long long)cases[i]);
		free(out.v);
	}
	ok(bytes_add(INT64_MAX, 1) == INT64_MIN, "sums wrap around");
}

static void test_strings(void)
{
	struct buffer out = {0}, part = {0};
	struct bytes in, s;

	put_string(&out, "name");
	put_string(&out, NULL);
	put_string(&part, "inside");
	put_part(&out, &part);
	in = bytes_of(out.v, out.v_n);
	s = bytes_string(&in);
	ok(bytes_left(&s) == 4 && !memcmp(s.p, "name", 4), "a string");
	s = bytes_string(&in);
	ok(!bytes_left(&s) && !s.bad, "NULL is an empty one");
	s = bytes_string(&in);
	s = bytes_string(&s);
	ok(bytes_left(&s) == 6 && !memcmp(s.p, "inside", 6) && !bytes_left(&in), "a part has its length in front");
	ok(!part.v && !part.v_n, "and is released");
	in = bytes_of(out.v, 3);
	s = bytes_string(&in);
	ok(in.bad && s.bad && !bytes_left(&s), "a string that is longer than what is there");
	free(out.v);
}

static void test_texts(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *text;
	} cases[] = {{"", 0, ""}, {"abc", 3, "abc"}, {"abc", 2, "ab"}, {"a\0b", 3, "a"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = bytes_text(bytes_of(cases[i].bytes, cases[i].n));

		ok(!strcmp(text, cases[i].text), "%zu bytes as a text: '%s'", cases[i].n, cases[i].text);
		free(text);
	}
	free(bytes_text((struct bytes){.bad = 1}));
}

static void test_bad(void)
{
	static const unsigned char raw[12] = {5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
	struct bytes in = bytes_of(raw, sizeof(raw));

	ok(bytes_upto(&in, 4) == 0 && in.bad, "a number over its limit");
	ok(bytes_varint(&in) == 0 && bytes_u64(&in) == 0 && bytes_f64(&in) == 0, "after it everything is 0");
	in = bytes_of(raw + 1, 11);
	ok(bytes_varint(&in) == 0 && in.bad, "a varint has at most ten bytes");
	in = bytes_of(raw, 7);
	ok(bytes_u64(&in) == 0 && in.bad, "eight bytes where seven are");
}

int main(void)
{
	test_varints();
	test_signed();
	test_strings();
	test_texts();
	test_bad();
	return tap_end();
}
