/* json_flat.c: reads a JSON object as names and values, by recursive descent. */
#include "convert/io/json_flat.h"

#include <stdio.h>
#include <string.h>

#include "convert/io/utf8.h"

enum { DEPTH_MOST = 32 };

struct json_input {
	const char *path, *text, *at, *end;
	void (*receive)(void *to, const char *name, const char *value);
	void *to;
	struct error *e;
	int depth;
};

/* Growing text, with a NUL at its end. */
struct json_text {
	char *v;
	size_t v_n, v_cap;
};

static int wrong(const struct json_input *j, const char *what)
{
	size_t line = 1;

	for (const char *c = j->text; c < j->at; c++)
		line += *c == '\n';
	return error_set(j->e, ERROR_INPUT, "%s: line %zu: %s", j->path, line, what);
}

static void skip_blanks(struct json_input *j)
{
	while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
		j->at++;
}

static int expect(struct json_input *j, char c, const char *what)
{
	skip_blanks(j);
	if (j->at == j->end || *j->at != c)
		return wrong(j, what);
	j->at++;
	return 0;
}

static int hex4(struct json_input *j, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, j->at++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *d = j->at < j->end && *j->at ? strchr(digits, *j->at) : NULL;

		if (!d)
			return wrong(j, "\\u needs four hexadecimal digits");
		*out = *out << 4 | (uint32_t)((d - digits) % 16);
	}
	return 0;
}

static void add_character(struct json_text *t, uint32_t c)
{
	char bytes[4];
	size_t n = utf8_put(bytes, c);

	for (size_t i = 0; i < n; i++)
		*array_add(t, v) = bytes[i];
}

static int parse_unicode(struct json_input *j, struct json_text *t)
{
	uint32_t c, low;
	int code = hex4(j, &c);

	if (code < 0)
		return code;
	if (!c)
		return wrong(j, "a text contains \\u0000");
	if (c >= 0xd800 && c < 0xe000) {
		if (c >= 0xdc00 || j->end - j->at < 6 || j->at[0] != '\\' || j->at[1] != 'u')
			return wrong(j, "half of a character (\\u)");
		j->at += 2;
		code = hex4(j, &low);
		if (code < 0)
			return code;
		if (low < 0xdc00 || low >= 0xe000)
			return wrong(j, "half of a character (\\u)");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	add_character(t, c);
	return 0;
}

static int parse_escape(struct json_input *j, struct json_text *t)
{
	static const char letters[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
	const char *at;

	j->at++;
	if (j->at < j->end && *j->at == 'u') {
		j->at++;
		return parse_unicode(j, t);
	}
	at = j->at < j->end && *j->at ? strchr(letters, *j->at) : NULL;
	if (!at)
		return wrong(j, "an unknown escape in a text");
	*array_add(t, v) = meaning[at - letters];
	j->at++;
	return 0;
}

/* Adds a text in quotes to t. */
static int parse_string(struct json_input *j, struct json_text *t)
{
	int code = expect(j, '"', "expected a text in quotes");

	while (code == 0) {
		const unsigned char *next = (const unsigned char *)j->at;

		if (j->at == j->end)
			return wrong(j, "a text has no end");
		if (*j->at == '"')
			break;
		if (*j->at == '\\') {
			code = parse_escape(j, t);
			continue;
		}
		if ((unsigned char)*j->at < 0x20)
			return wrong(j, "a control character in a text");
		if (utf8_next(&next, (const unsigned char *)j->end) >= 0x80 &&
		    (const char *)next - j->at == 1)
			return wrong(j, "a text is not UTF-8");
		while (j->at < (const char *)next)
			*array_add(t, v) = *j->at++;
	}
	j->at += code == 0;
	return code;
}

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static int is_number(const char *s)
{
	s += *s == '-';
	if (!digits(s) || (*s == '0' && digits(s) > 1))
		return 0;
	s += digits(s);
	if (*s == '.') {
		if (!digits(s + 1))
			return 0;
		s += 1 + digits(s + 1);
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '+' || *s == '-';
		if (!digits(s))
			return 0;
		s += digits(s);
	}
	return !*s;
}

/* The end of a number or of a word such as true. */
static int parse_word(struct json_input *j)
{
	static const char *const known[] = {"true", "false", "null"};
	const char *begin = j->at;
	char *word;
	int good;

	while (j->at < j->end && *j->at &&
	       strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *j->at))
		j->at++;
	word = mem_printf("%.*s", (int)(j->at - begin), begin);
	good = is_number(word);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		good |= !strcmp(word, known[i]);
	free(word);
	if (good)
		return 0;
	j->at = begin;
	return wrong(j, "expected a value");
}

static int parse_object(struct json_input *j, struct json_text *name);

/* Skips an array; its content is checked, but not used. */
static int parse_array(struct json_input *j, struct json_text *scratch);

static int parse_any(struct json_input *j, struct json_text *scratch)
{
	int code;

	skip_blanks(j);
	if (++j->depth > DEPTH_MOST)
		return wrong(j, "objects and arrays are nested too deep");
	if (j->at < j->end && *j->at == '[')
		code = parse_array(j, scratch);
	else if (j->at < j->end && *j->at == '{')
		code = parse_object(j, NULL);
	else if (j->at < j->end && *j->at == '"')
		code = parse_string(j, scratch);
	else
		code = parse_word(j);
	j->depth--;
	return code;
}

static int parse_array(struct json_input *j, struct json_text *scratch)
{
	int code = 0;

	j->at++;
	skip_blanks(j);
	if (j->at < j->end && *j->at == ']') {
		j->at++;
		return 0;
	}
	while (code == 0) {
		code = parse_any(j, scratch);
		skip_blanks(j);
		if (code == 0 && j->at < j->end && *j->at == ']')
			break;
		if (code == 0)
			code = expect(j, ',', "expected ',' or ']'");
	}
	j->at += code == 0;
	return code;
}

/* name: of the member; NULL inside arrays, whose members are not passed on. */
static int parse_value(struct json_input *j, struct json_text *name)
{
	struct json_text value = {0};
	const char *begin;
	int code;

	skip_blanks(j);
	begin = j->at;
	if (j->at < j->end && *j->at == '{')
		return parse_object(j, name);
	code = parse_any(j, &value);
	if (code == 0 && name && *begin != '"') {
		value.v_n = 0;
		for (const char *c = begin; c < j->at; c++)
			*array_add(&value, v) = *c;
	}
	*array_add(&value, v) = 0;
	if (code == 0 && name && strcmp(value.v, "null") != 0) {
		*array_add(name, v) = 0;
		j->receive(j->to, name->v, value.v);
		name->v_n--;
	}
	free(value.v);
	return code;
}

static int parse_member(struct json_input *j, struct json_text *name)
{
	struct json_text scratch = {0}, *to = name ? name : &scratch;
	size_t before = to->v_n;
	int code;

	if (before)
		*array_add(to, v) = '.';
	skip_blanks(j);
	code = parse_string(j, to);
	if (code == 0 && to->v_n == before + (before > 0))
		code = wrong(j, "a name is empty");
	if (code == 0)
		code = expect(j, ':', "expected ':'");
	if (code == 0)
		code = parse_value(j, name);
	to->v_n = before;
	free(scratch.v);
	return code;
}

static int parse_object(struct json_input *j, struct json_text *name)
{
	int code = expect(j, '{', "expected an object in braces");

	if (code == 0 && ++j->depth > DEPTH_MOST)
		return wrong(j, "objects and arrays are nested too deep");
	skip_blanks(j);
	if (code == 0 && j->at < j->end && *j->at == '}') {
		j->at++;
		j->depth--;
		return 0;
	}
	while (code == 0) {
		code = parse_member(j, name);
		skip_blanks(j);
		if (code == 0 && j->at < j->end && *j->at == '}')
			break;
		if (code == 0)
			code = expect(j, ',', "expected ',' or '}'");
	}
	j->at += code == 0;
	j->depth--;
	return code;
}

int json_flat_read(const char *path, const char *text, size_t n,
		   void (*receive)(void *to, const char *name, const char *value), void *to,
		   struct error *e)
{
	struct json_input j = {.path = path,
			       .text = text,
			       .at = text,
			       .end = text + n,
			       .receive = receive,
			       .to = to,
			       .e = e};
	struct json_text name = {0};
	int code = parse_object(&j, &name);

	skip_blanks(&j);
	if (code == 0 && j.at != j.end)
		code = wrong(&j, "something follows the object");
	free(name.v);
	return code;
}
