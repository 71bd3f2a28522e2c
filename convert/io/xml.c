/* xml.c: reads XML with libxml2. */
#include "convert/io/xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <limits.h>
#include <string.h>

#include "convert/io/utf8.h"

struct xml_document {
	const struct xml_handler *h;
	xmlParserCtxtPtr parser;
	char *text;
	size_t text_n, text_cap;
	size_t depth;
	char *wrong; /* the first error */
	long line;
	struct xml_attribute *attribute;
	size_t attribute_n, attribute_cap;
	struct {
		char **v; /* values of attributes of the element being opened, owned */
		size_t v_n, v_cap;
	} values;
};

const char *xml_get(const struct xml_attribute *a, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(a[i].name, name))
			return a[i].value;
	return NULL;
}

/* Stops reading with an error, whose text it takes over; NULL: no error. */
static void stop(struct xml_document *r, char *what)
{
	if (!what)
		return;
	if (r->wrong) {
		free(what);
		return;
	}
	r->wrong = what;
	r->line = r->parser->input ? r->parser->input->line : 0;
	xmlStopParser(r->parser);
}

static void add_text(struct xml_document *r, const xmlChar *s, int n)
{
	if (n <= 0)
		return;
	if (r->text_n + (size_t)n >= r->text_cap) {
		r->text_cap = 2 * (r->text_n + (size_t)n) + 256;
		r->text = mem_resize(r->text, r->text_cap, 1);
	}
	memcpy(r->text + r->text_n, s, (size_t)n);
	r->text_n += (size_t)n;
}

static void on_text(void *arg, const xmlChar *s, int n)
{
	struct xml_document *r = ((xmlParserCtxtPtr)arg)->_private;

	add_text(r, s, n);
}

static void on_open(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
		    int namespaces, const xmlChar **spaces, int n, int defaults, const xmlChar **a)
{
	struct xml_document *r = ((xmlParserCtxtPtr)arg)->_private;

	(void)prefix, (void)uri, (void)namespaces, (void)spaces, (void)defaults;
	r->text_n = 0;
	if (r->depth++ == 0)
		return; /* the additional root that contains those of the file */
	if (r->depth > XML_DEPTH_MAX) {
		stop(r, mem_printf("elements are nested more than %d deep", XML_DEPTH_MAX));
		return;
	}
	r->attribute_n = r->values.v_n = 0;
	for (int i = 0; i < n; i++)
		*array_add(&r->values, v) = mem_printf("%.*s", (int)(a[5 * i + 4] - a[5 * i + 3]),
						       (const char *)a[5 * i + 3]);
	for (int i = 0; i < n; i++)
		*array_add(r, attribute) =
			(struct xml_attribute){(const char *)a[5 * i], r->values.v[i]};
	if (!r->wrong)
		stop(r, r->h->open(r->h->arg, (const char *)name, r->attribute, (size_t)n));
	for (size_t i = 0; i < r->values.v_n; i++)
		free(r->values.v[i]);
	r->values.v_n = 0;
}

static void on_close(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct xml_document *r = ((xmlParserCtxtPtr)arg)->_private;

	(void)prefix, (void)uri;
	add_text(r, (const xmlChar *)"", 1);
	if (--r->depth && !r->wrong)
		stop(r, r->h->close(r->h->arg, (const char *)name, r->text, r->text_n - 1));
	r->text_n = 0;
}

static xmlEntityPtr on_entity(void *arg, const xmlChar *name)
{
	(void)arg;
	return xmlGetPredefinedEntity(name);
}

/* A document type is refused. */
static void on_type(void *arg, const xmlChar *name, const xmlChar *id, const xmlChar *uri)
{
	struct xml_document *r = ((xmlParserCtxtPtr)arg)->_private;

	(void)name, (void)id, (void)uri;
	stop(r, mem_string("a document type is not allowed"));
}

static void on_error(void *arg, xmlErrorPtr error)
{
	struct xml_document *r = ((xmlParserCtxtPtr)arg)->_private;
	size_t n = error->message ? strcspn(error->message, "\n") : 0;

	if (error->level < XML_ERR_ERROR || r->wrong)
		return;
	stop(r, mem_printf("%.*s", n > 300 ? 300 : (int)n, n ? error->message : ""));
	if (error->line > 0)
		r->line = error->line;
}

/* Does "&" begin an entity or the number of a character? Otherwise it means itself. */
static int is_reference(const unsigned char *p, const unsigned char *end)
{
	const unsigned char *at = ++p;

	at += at < end && *at == '#';
	while (at < end && (((*at | 32) >= 'a' && (*at | 32) <= 'z') || (*at >= '0' && *at <= '9')))
		at++;
	return at > p && at < end && *at == ';';
}

static size_t count(const unsigned char *p, size_t n, int c)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += p[i] == c;
	return found;
}

/* A copy of the text without characters that XML does not allow: see the first comment of xml.h. */
static char *cleaned(const unsigned char *p, size_t n, size_t *out_n)
{
	const unsigned char *end = p + n, *raw = p; /* up to raw "&" needs no help: CDATA */
	char *out = mem_resize(NULL, 2 * n + 4 + 4 * count(p, n, '&'), 1);
	size_t k = 0;

	if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	while (p < end) {
		uint32_t c;

		if (*p == '<' && end - p > 6 && !memcmp(p, "<?xml", 5) &&
		    (p[5] == ' ' || p[5] == '\t' || p[5] == '\n' || p[5] == '\r')) {
			const unsigned char *close = memmem(p, (size_t)(end - p), "?>", 2);

			for (; close && p < close + 2; p++)
				if (*p == '\n')
					out[k++] = '\n';
			if (close)
				continue;
		}
		if (*p == '<' && p >= raw && end - p > 9 && !memcmp(p, "<![CDATA[", 9)) {
			raw = memmem(p, (size_t)(end - p), "]]>", 3);
			raw = raw ? raw : end;
		}
		if (*p == '&' && p >= raw && !is_reference(p, end)) {
			memcpy(out + k, "&amp;", 5);
			k += 5;
			p++;
			continue;
		}
		c = utf8_next(&p, end);
		if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0xfffe || c == 0xffff)
			c = ' ';
		k += utf8_put(out + k, c);
	}
	*out_n = k;
	return out;
}

/* Parses the roots of the file inside an additional root. */
static void push_all(struct xml_document *r, const char *text, size_t n)
{
	static const char open[] = "<files>", close[] = "</files>";
	int bad = xmlParseChunk(r->parser, open, sizeof(open) - 1, 0);

	for (size_t at = 0; at < n && !bad && !r->wrong;) {
		int part = n - at > 65536 ? 65536 : (int)(n - at);

		bad = xmlParseChunk(r->parser, text + at, part, 0);
		at += (size_t)part;
	}
	if (!r->wrong)
		bad = xmlParseChunk(r->parser, close, sizeof(close) - 1, 1);
	if (bad || r->depth)
		stop(r, mem_string("the file ends within an element"));
}

int xml_read(const char *path, const unsigned char *p, size_t n, const struct xml_handler *h,
	     struct error *e)
{
	xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
			     .startElementNs = on_open,
			     .endElementNs = on_close,
			     .characters = on_text,
			     .ignorableWhitespace = on_text,
			     .cdataBlock = on_text,
			     .getEntity = on_entity,
			     .internalSubset = on_type,
			     .serror = on_error};
	struct xml_document r = {.h = h};
	size_t length;
	char *text;

	r.parser = xmlCreatePushParserCtxt(&sax, NULL, NULL, 0, NULL);
	if (!r.parser)
		return error_set(e, ERROR_SYSTEM, "%s: no memory for reading XML", path);
	/* NOENT: values of attributes come without "&#38;". Only on_entity() gives entities. */
	xmlCtxtUseOptions(r.parser, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOENT);
	xmlSwitchEncoding(r.parser, XML_CHAR_ENCODING_UTF8);
	r.parser->_private = &r;
	text = cleaned(p, n, &length);
	push_all(&r, text, length);
	free(text);
	xmlFreeParserCtxt(r.parser);
	free(r.text);
	free(r.attribute);
	free(r.values.v);
	if (!r.wrong)
		return 0;
	error_set(e, ERROR_INPUT, "%s: line %ld: %s", path, r.line, r.wrong);
	free(r.wrong);
	return ERROR_INPUT;
}

const unsigned char *xml_start(const unsigned char *p, size_t n)
{
	const unsigned char *end = p + n;

	if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	for (;;) {
		while (p < end && *p <= ' ')
			p++;
		if (end - p < 5 || memcmp(p, "<?xml", 5))
			return p;
		while (p < end && *p != '>')
			p++;
		p += p < end;
	}
}
