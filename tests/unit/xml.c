/* xml.c: XML with known blemishes, damaged XML, and what Cube files define in it. */
#include "convert/io/xml.h"

#include <stdlib.h>
#include <string.h>

#include "convert/cube/cube.h"
#include "convert/cube/cube_anchor.h"
#include "tap.h"

struct seen {
	char text[400];
	size_t n;
};

static char *on_open(void *arg, const char *name, const struct xml_attribute *a, size_t n)
{
	struct seen *s = arg;
	const char *id = xml_get(a, n, "id");

	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n, "<%s%s%s>", name, id ? " " : "", id ? id : "");
	return !strcmp(name, "stop") ? mem_string("stopped") : NULL;
}

static char *on_close(void *arg, const char *name, char *text, size_t length)
{
	struct seen *s = arg;

	if (length != strlen(text))
		return mem_string("length");
	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n, "%s</%s>", text, name);
	return NULL;
}

static void test_read(void)
{
	static const struct {
		const char *xml;
		size_t n; /* 0: up to the NUL */
		const char *seen, *error;
	} cases[] = {
		{"<a id='7'><b>x</b></a>", 0, "<a 7><b>x</b></a>", NULL},
		{"<a/><b/>", 0, "<a></a><b></b>", NULL},
		{"<?xml version='1.0'?><a/><?xml version='1.0'?><b/>", 0, "<a></a><b></b>", NULL},
		{"<a>x\0y</a>", 10, "<a>x y</a>", NULL},
		{"<a>\xe9</a>", 0, "<a>\xc3\xa9</a>", NULL}, /* Latin-1 */
		{"<a>&lt;&amp;</a>", 0, "<a><&</a>", NULL},
		{"<a>f(T & t, U&& u, x&y z;&)</a>", 0, "<a>f(T & t, U&& u, x&y z;&)</a>", NULL},
		{"<a>&#65;&#x42;&#;&", 0, NULL, "t.xml: line 1: "},
		{"<a><![CDATA[x & y &amp; z]]> & &lt;</a>", 0, "<a>x & y &amp; z & <</a>", NULL},
		{"<a id='7&8'/>", 0, "<a 7&8></a>", NULL},
		{"<a id='&amp;&lt;&quot;&#65;&#38;'/>", 0, "<a &<\"A&></a>", NULL},
		{"<a><b></a>", 0, NULL, "t.xml: line 1: "},
		{"<a>\n<b", 0, NULL, "t.xml: line 2: "},
		{"<a>&other;</a>", 0, NULL, "t.xml: line 1: "},
		{"<!DOCTYPE a [<!ENTITY x SYSTEM '/etc/passwd'>]><a id='&x;'>&x;</a>", 0, NULL, "t.xml: line 1: "},
		{"<!DOCTYPE a><a/>", 0, NULL, "t.xml: line 1: "},
		{"<a>\n<stop/></a>", 0, NULL, "t.xml: line 2: stopped"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct seen s = {.n = 0};
		const struct xml_handler h = {&s, on_open, on_close};
		struct error e = {0};
		int code = xml_read("t.xml", (const unsigned char *)cases[i].xml, cases[i].n ? cases[i].n : strlen(cases[i].xml), &h, &e);

		if (cases[i].seen)
			ok(!code && !strcmp(s.text, cases[i].seen), "case %zu is read: %s%s", i, s.text, code ? e.text : "");
		else
			ok(code == ERROR_INPUT && !strncmp(e.text, cases[i].error, strlen(cases[i].error)), "case %zu is damaged: %s", i, e.text);
	}
}

static void test_put(void)
{
	const char *text = "a<b>&\"c\"\n\t\xc3\xa9";
	char *xml, *back;
	size_t n;
	FILE *f = open_memstream(&xml, &n);
	struct seen s = {.n = 0};
	const struct xml_handler h = {&s, on_open, on_close};
	struct error e = {0};

	fputs("<a>", f);
	xml_put(f, text);
	fputs("</a>", f);
	fclose(f);
	back = mem_printf("<a>%s</a>", text);
	ok(!xml_read("t", (unsigned char *)xml, n, &h, &e) && !strcmp(s.text, back), "a text reads back the same");
	free(back);
	free(xml);
}

static void test_start(void)
{
	static const struct {
		const char *xml, *start;
	} cases[] = {{"\xef\xbb\xbf  <?xml version='1.0'?>\n <a/>", "<a/>"}, {"<a/>", "<a/>"}, {"", ""}, {"<?xml ", ""}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const unsigned char *p = (const unsigned char *)cases[i].xml;

		ok(!strcmp((const char *)xml_start(p, strlen(cases[i].xml)), cases[i].start), "text %zu begins at '%s'", i, cases[i].start);
	}
}

static void test_cube_numbers(void)
{
	static const unsigned char bytes[] = {1, 2, 0, 0, 0, 0, 0, 0x80};
	static const struct {
		const char *type;
		int role; /* of a metric of that type called gain; -1: unknown type */
	} cases[] = {{"UINT64", ROLE_METRIC}, {"DOUBLE", ROLE_METRIC}, {"TAU_ATOMIC", ROLE_ATOMIC}, {"COMPLEX", -1}, {NULL, -1}};
	struct cube_metric time = {.name = "Time"}, visits = {.name = "visits", .type = "UINT64"};
	struct cube_metric numbered[] = {{.name = "32Visits", .type = "UINT64"}, {.name = "CALLS", .type = "INTEGER", .unit = "occ"}},
			   seconds = {.name = "CALLS", .type = "INTEGER", .unit = "sec"};
	struct cube c = {.p = profile_new()};

	ok(cube_number(bytes, 2, 0) == 0x201 && cube_number(bytes, 2, 1) == 0x102, "two bytes in either order");
	ok(cube_number(bytes, 8, 0) == 0x8000000000000201 && cube_number(bytes, 0, 0) == 0, "eight bytes, and none");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cube_metric m = {.name = "gain", .type = (char *)cases[i].type};

		ok(!cube_type_of(cases[i].type) == (cases[i].role < 0), "type %s is %s", cases[i].type ? cases[i].type : "none",
		   cases[i].role < 0 ? "unknown" : "known");
		ok((int)cube_role_of(&c, &m) == (cases[i].role < 0 ? ROLE_NONE : cases[i].role), "role %d", cases[i].role);
	}
	ok(cube_is_time(&time) && !cube_is_time(&visits) && !cube_is_time(&(struct cube_metric){0}), "time by its name");
	ok(cube_role_of(&c, &visits) == ROLE_CALLS, "visits are calls");
	for (size_t i = 0; i < sizeof(numbered) / sizeof(*numbered); i++)
		ok(cube_role_of(&c, &numbered[i]) == ROLE_CALLS, "%s are calls", numbered[i].name);
	ok(cube_is_time(&(struct cube_metric){.name = "0Time"}), "a number before the name of the time does not matter");
	c.a.metric = &visits, c.a.metric_n = 1;
	ok(cube_role_of(&c, &numbered[1]) == ROLE_METRIC, "CALLS beside visits are a metric");
	c.a.metric_n = 0;
	ok(cube_role_of(&c, &seconds) == ROLE_METRIC, "and so are CALLS in seconds");
	profile_free(c.p);
}

static void test_anchor(void)
{
	static const struct {
		const char *xml;
		size_t metrics, nodes; /* of those that can be read */
		int code;
	} cases[] = {
		{"<cube version=\"4.4\"><metrics><metric id=\"3\"><uniq_name>time</uniq_name></metric></metrics>"
		 "<program><region id=\"0\"><name>main</name></region><cnode id=\"0\" calleeId=\"0\"><cnode id=\"1\" calleeId=\"0\"/></cnode>"
		 "</program><system><systemtreenode Id=\"0\"><locationgroup Id=\"0\"><rank>0</rank><location Id=\"0\"><name>t</name></location>"
		 "</locationgroup></systemtreenode></system></cube>", 1, 2, 0},
		{"<cube version=\"4.4\"><metrics>", 0, 0, ERROR_INPUT},
		{"<other/>", 0, 0, 0} /* it defines nothing */,
		{"", 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cube_anchor a = {0};
		struct error e = {0};
		int code = cube_anchor_read("c", (const unsigned char *)cases[i].xml, strlen(cases[i].xml), NULL, &a, &e);

		ok(code == cases[i].code, "definitions %zu: %s", i, code ? e.text : "read");
		if (!code)
			ok(a.metric_n == cases[i].metrics && a.node_n == cases[i].nodes &&
				   (!a.metric_n || (a.metric[0].id == 3 && a.node[1].parent == 0 && a.location_n == 1 && a.group[0].rank == 0)),
			   "%zu metrics and %zu nodes, with their ids and parents", a.metric_n, a.node_n);
		cube_anchor_release(&a);
	}
}

int main(void)
{
	test_read();
	test_put();
	test_start();
	test_cube_numbers();
	test_anchor();
	return tap_end();
}
