/*
 * tau_metadata.c: TAU's metadata: elements <attribute> with <name>, <value> and, in the context of a timer,
 * <timer_context>, <call_number>, <timestamp>; a value may hold <array_element>s or <attribute>s.
 *
 * It is XML for the most part, but real files hold values that were not escaped. So whatever is not one of these
 * elements is text.
 */
#include "convert/tau/tau_metadata.h"

#include <string.h>

#include "record/metadata.h"

enum { DEPTH_MAX = 16 };

struct metadata_text {
	char *v;
	size_t v_n, v_cap;
};

struct metadata_input {
	const char *at, *end;
	const char *what; /* set once something is wrong */
	int depth;
};

static void buffer_add(struct metadata_text *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*array_add(b, v) = s[i];
}

static void buffer_text(struct metadata_text *b, const char *s)
{
	buffer_add(b, s, strlen(s));
}

/* The string so far, owned by the caller; the buffer is empty again. */
static char *buffer_string(struct metadata_text *b)
{
	char *s;

	*array_add(b, v) = 0;
	s = b->v;
	memset(b, 0, sizeof(*b));
	return s;
}

static int starts(const struct metadata_input *in, const char *s)
{
	size_t n = strlen(s);

	return (size_t)(in->end - in->at) >= n && !memcmp(in->at, s, n);
}

static int read_word(struct metadata_input *in, const char *s)
{
	if (!starts(in, s))
		return 0;
	in->at += strlen(s);
	return 1;
}

static void skip_blanks(struct metadata_input *in)
{
	while (in->at < in->end && strchr(" \t\r\n", *in->at))
		in->at++;
}

static void add_utf8(struct metadata_text *b, uint32_t c)
{
	unsigned char s[4];
	int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (int i = n - 1; i > 0; i--, c >>= 6)
		s[i] = (unsigned char)(0x80 | (c & 0x3f));
	s[0] = (unsigned char)(first[n] | c);
	buffer_add(b, (char *)s, (size_t)n);
}

/* "&#10;" or "&#xa;": 1 when it was one. A reference to NUL or beyond Unicode is left as text. */
static int parse_reference(struct metadata_input *in, struct metadata_text *b)
{
	const char *s = in->at + 2;
	int base = *s == 'x' || *s == 'X' ? 16 : 10;
	uint32_t c = 0;
	int digits = 0;

	s += base == 16;
	for (; s < in->end && *s != ';' && digits < 8; s++, digits++) {
		int d = *s >= '0' && *s <= '9'   ? *s - '0'
			: *s >= 'a' && *s <= 'f' ? *s - 'a' + 10
			: *s >= 'A' && *s <= 'F' ? *s - 'A' + 10
						 : 99;

		if (d >= base)
			return 0;
		c = c * (uint32_t)base + (uint32_t)d;
	}
	if (!digits || s >= in->end || *s != ';' || !c || c > 0x10ffff)
		return 0;
	add_utf8(b, c);
	in->at = s + 1;
	return 1;
}

static void parse_entity(struct metadata_input *in, struct metadata_text *b)
{
	static const struct {
		const char *text, *stands_for;
	} entities[] = { { "&lt;", "<" },
			 { "&gt;", ">" },
			 { "&amp;", "&" },
			 { "&quot;", "\"" },
			 { "&apos;", "'" } };

	if (starts(in, "&#") && parse_reference(in, b))
		return;
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
		if (read_word(in, entities[i].text)) {
			buffer_text(b, entities[i].stands_for);
			return;
		}
	buffer_add(b, in->at++, 1);
}

static void parse_cdata(struct metadata_input *in, struct metadata_text *b)
{
	const char *end = memmem(in->at, (size_t)(in->end - in->at), "]]>", 3);

	if (!end) {
		in->what = "a CDATA section has no end";
		return;
	}
	buffer_add(b, in->at, (size_t)(end - in->at));
	in->at = end + 3;
}

static void read_attribute(struct metadata_input *in, struct metadata_text *name,
			   struct metadata_text *value);

/* An element of an array or an object inside a value; *open is its bracket so far, 0 before the first. */
static void read_inner(struct metadata_input *in, struct metadata_text *b, char *open,
		       char bracket);

/* Everything up to the closing tag, which is used up too. */
static void read_content(struct metadata_input *in, const char *close, struct metadata_text *b)
{
	char open = 0;

	while (!in->what && in->at < in->end) {
		if (read_word(in, close)) {
			if (open)
				buffer_text(b, open == '[' ? "]" : "}");
			return;
		}
		if (read_word(in, "<![CDATA["))
			parse_cdata(in, b);
		else if (read_word(in, "<array_element>"))
			read_inner(in, b, &open, '[');
		else if (read_word(in, "<attribute>"))
			read_inner(in, b, &open, '{');
		else if (*in->at == '&')
			parse_entity(in, b);
		else
			buffer_add(b, in->at++, 1);
	}
	if (!in->what)
		in->what = "an element of the metadata has no end";
}

static void read_inner(struct metadata_input *in, struct metadata_text *b, char *open, char bracket)
{
	if (++in->depth > DEPTH_MAX) {
		in->what = "the metadata are nested too deeply";
		return;
	}
	buffer_text(b, *open ? ", " : bracket == '[' ? "[" : "{");
	*open = *open ? *open : bracket;
	if (bracket == '[') {
		read_content(in, "</array_element>", b);
	} else {
		struct metadata_text value = { 0 };

		read_attribute(in, b, &value);
		buffer_text(b, ": ");
		buffer_add(b, value.v, value.v_n);
		free(value.v);
	}
	in->depth--;
}

/*
 * Reads what follows "<attribute>", up to and with "</attribute>". The name gets the context of the
 * timer, if there is one.
 */
static void read_attribute(struct metadata_input *in, struct metadata_text *name,
			   struct metadata_text *value)
{
	enum { NAME, VALUE, TIMER, CALL, TIME, PARTS };
	static const struct {
		const char *open, *close, *before;
	} part[PARTS] = {
		[NAME] = { "<name>", "</name>", NULL },
		[VALUE] = { "<value>", "</value>", NULL },
		[TIMER] = { "<timer_context>", "</timer_context>", " (in " },
		[CALL] = { "<call_number>", "</call_number>", ", call " },
		[TIME] = { "<timestamp>", "</timestamp>", ", at " },
	};
	struct metadata_text context[PARTS] = { { 0 } };

	for (;;) {
		int i = 0;

		skip_blanks(in);
		if (in->what || read_word(in, "</attribute>"))
			break;
		while (i < PARTS && !read_word(in, part[i].open))
			i++;
		if (i == PARTS)
			in->what = "an <attribute> of the metadata holds what is neither name nor "
				   "value";
		else
			read_content(in, part[i].close,
				     i == NAME    ? name
				     : i == VALUE ? value
						  : &context[i]);
	}
	if (context[TIMER].v_n) {
		for (int i = TIMER; i < PARTS; i++)
			if (context[i].v_n) {
				buffer_text(name, part[i].before);
				buffer_add(name, context[i].v, context[i].v_n);
			}
		buffer_text(name, context[TIME].v_n ? " us)" : ")");
	}
	for (int i = 0; i < PARTS; i++)
		free(context[i].v);
}

int tau_metadata_read(const char **cursor, const char *end, struct tau_metadata *out,
		      const char **what)
{
	struct metadata_input in = { .at = *cursor, .end = end };

	if (!read_word(&in, "<metadata>"))
		in.what = "the metadata do not begin with <metadata>";
	while (!in.what) {
		struct metadata_text name = { 0 }, value = { 0 };

		skip_blanks(&in);
		if (read_word(&in, "</metadata>"))
			break;
		if (!read_word(&in, "<attribute>")) {
			in.what = in.at == in.end ? "the metadata have no end"
						  : "the metadata contain something else than "
						    "<attribute>";
			break;
		}
		read_attribute(&in, &name, &value);
		*array_add(out, v) =
			(struct profile_attribute){ buffer_string(&name), buffer_string(&value) };
	}
	*cursor = in.at;
	*what = in.what;
	return in.what ? -1 : 0;
}

void tau_metadata_release(struct tau_metadata *m)
{
	profile_attributes_free(m->v, m->v_n);
	memset(m, 0, sizeof(*m));
}

void tau_metadata_set(struct profile *p, const struct profile_attribute *a)
{
	if (!strcmp(a->name, TAU_META_WINDOW)) {
		free(p->window);
		p->window = mem_string(a->value);
	} else if (!strcmp(a->name, TAU_META_WINDOW_BEGIN_US)) {
		p->begin_us = strtod(a->value, NULL);
	} else if (!strcmp(a->name, TAU_META_WINDOW_END_US)) {
		p->end_us = strtod(a->value, NULL);
	} else {
		profile_set_meta(p, UINT32_MAX, a->name, a->value);
	}
}

const char *tau_metadata_find(struct tau_metadata_list in, const char *name)
{
	for (size_t i = in.n; i-- > 0;)
		if (!strcmp(in.v[i].name, name))
			return in.v[i].value;
	return NULL;
}

static int by_name(const void *x, const void *y)
{
	const struct profile_attribute *const *a = x, *const *b = y;

	return strcmp((*a)->name, (*b)->name);
}

void tau_metadata_of_file(struct tau_metadata_list trial, struct tau_metadata_list first,
			  struct tau_metadata_list own, struct tau_metadata_of_file *out)
{
	for (size_t i = 0; i < trial.n; i++) {
		const char *repeated = tau_metadata_find(first, trial.v[i].name);

		if ((!repeated || strcmp(repeated, trial.v[i].value) != 0) &&
		    !tau_metadata_find(own, trial.v[i].name))
			*array_add(out, v) = &trial.v[i];
	}
	for (size_t i = 0; i < own.n; i++)
		*array_add(out, v) = &own.v[i];
	if (out->v_n)
		qsort(out->v, out->v_n, sizeof(*out->v), by_name);
}

static void write_escaped(FILE *f, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&apos;", f);
			break;
		case '\n':
			fputs("&#xa;", f);
			break;
		case '\r':
			fputs("&#xd;", f);
			break;
		default:
			putc(*s, f);
		}
}

/* Writes CDATA, as TAU does, if the text allows it; otherwise escapes the text. */
static void write_text(FILE *f, const char *s)
{
	if (strpbrk(s, "<&") && !strpbrk(s, "\n\r") && !strstr(s, "]]>"))
		fprintf(f, "<![CDATA[%s]]>", s);
	else
		write_escaped(f, s);
}

void tau_metadata_write(FILE *f, const char *name, const char *value)
{
	fputs("<attribute><name>", f);
	write_text(f, name);
	fputs("</name><value>", f);
	write_text(f, value);
	fputs("</value></attribute>", f);
}
