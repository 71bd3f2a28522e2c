/*
 * symbols.c: names of functions from binaries built for the test: position independent or not, C and C++, with and
 * without debug information, stripped, changed since.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/code/binary.h"
#include "convert/code/symbols.h"
#include "tap.h"

static char dir[] = "/tmp/tau-symbols.XXXXXX";

static const char source_c[] =
	"#include <stdio.h>\n"
	"static __attribute__((noinline)) int hidden(int x) { return x + 1; }\n"
	"int shown(int x);\n"
	"int shown(int x)\n"
	"{\n"
	"	return hidden(x) * 2;\n"
	"}\n"
	"extern char __executable_start[];\n"
	"int main(void)\n"
	"{\n"
	"	printf(\"%p %p %p %p\\n\", (void *)main, (void *)shown, (void *)hidden, (void *)__executable_start);\n"
	"	return 0;\n"
	"}\n";
static const char source_cc[] =
	"#include <stdio.h>\n"
	"namespace space { struct thing { int twice(int x); }; }\n"
	"int space::thing::twice(int x)\n"
	"{\n"
	"	return 2 * x;\n"
	"}\n"
	"template <class T> __attribute__((noinline)) T half(T x) { return x / 2; }\n"
	"extern char __executable_start[];\n"
	"int main()\n"
	"{\n"
	"	int (space::thing::*m)(int) = &space::thing::twice;\n"
	"	void *p;\n"
	"	__builtin_memcpy(&p, &m, sizeof(p));\n"
	"	printf(\"%p %p %p %p\\n\", (void *)main, p, (void *)half<int>, (void *)__executable_start);\n"
	"	return 0;\n"
	"}\n";

static int shell(const char *format, const char *a, const char *b)
{
	char command[800];

	snprintf(command, sizeof(command), format, dir, a, dir, b);
	return system(command);
}

struct built {
	char path[200];
	uint64_t address[3];	/* as the program itself printed them, without randomization */
	unsigned char id[64];
	size_t id_n;
	uint64_t bias;
};

/* Compiles a source with flags and runs it for the addresses of its functions. 0 on success. */
static int build(struct built *b, const char *name, const char *text, const char *compiler, const char *flags)
{
	char path[200], command[900], hex[200] = "";
	unsigned long long v[3], start;
	FILE *f;

	snprintf(b->path, sizeof(b->path), "%s/%s", dir, name);
	snprintf(path, sizeof(path), "%s/%s.%s", dir, name, !strcmp(compiler, "c++") ? "cc" : "c");
	f = fopen(path, "w");
	if (!f)
		return -1;
	fputs(text, f);
	fclose(f);
	snprintf(command, sizeof(command), "%s -O1 -Wl,--build-id %s %s -o %s", compiler, flags, path, b->path);
	if (system(command))
		return -1;
	snprintf(command, sizeof(command), "setarch -R %s", b->path);
	f = popen(command, "r");
	if (!f || fscanf(f, "%llx %llx %llx %llx", &v[0], &v[1], &v[2], &start) != 4)
		return -1;
	pclose(f);
	for (int i = 0; i < 3; i++)
		b->address[i] = v[i];
	f = fopen(b->path, "rb");
	b->bias = f && !fseek(f, offsetof(Elf64_Ehdr, e_type), SEEK_SET) && fgetc(f) == ET_DYN ? start : 0;
	if (f)
		fclose(f);
	snprintf(command, sizeof(command), "readelf -n %s | sed -n 's/.*Build ID: //p'", b->path);
	f = popen(command, "r");
	if (!f || fscanf(f, "%199s", hex) != 1)
		return -1;
	pclose(f);
	for (b->id_n = 0; b->id_n < strlen(hex) / 2; b->id_n++)
		sscanf(hex + 2 * b->id_n, "%2hhx", &b->id[b->id_n]);
	return 0;
}

static void is(const char *got, const char *want, const char *what)
{
	if (!ok(!strcmp(got, want), "%s", what))
		printf("# got '%s', want '%s'\n", got, want);
}

static const char *named(struct symbols *s, const struct built *b, int i)
{
	return symbols_get(s, b->path, b->id, b->id_n, b->bias, b->address[i]).name;
}

static void test_debug(const char *name, const char *flags)
{
	struct symbols *s = symbols_new();
	struct built b;
	struct symbol x;
	char want[300], what[100];

	snprintf(what, sizeof(what), "%s: it builds", name);
	if (!ok(!build(&b, name, source_c, "cc", flags), "%s", what))
		return;
	x = symbols_get(s, b.path, b.id, b.id_n, b.bias, b.address[1]);
	snprintf(want, sizeof(want), "shown [{%s.c} {4,0}]", b.path);
	is(x.name, want, "a function with its file and line");
	ok(x.line == 4 && x.file && strstr(x.file, name), "which stand apart as well");
	snprintf(want, sizeof(want), "hidden [{%s.c} {2,0}]", b.path);
	is(named(s, &b, 2), want, "a static function");
	is(symbols_get(s, b.path, b.id, b.id_n, b.bias, b.bias + 1).name + strlen("addr=<0x1> ["),
	   strcat(strcpy(want, name), "]"), "an address in no function");
	ok(!symbols_note_n(s), "nothing to complain about");
	symbols_free(s);
}

static void test_bare(void)
{
	struct symbols *s = symbols_new();
	struct built b;
	char want[300];

	if (!ok(!build(&b, "bare", source_c, "cc", "-rdynamic"), "without debug information: it builds"))
		return;
	is(named(s, &b, 1), "shown", "the symbol table gives the name");
	is(named(s, &b, 2), "hidden", "of static functions too");
	symbols_free(s);
	if (shell("strip %s/%s 2>%s/%s", "bare", "err"))
		return;
	s = symbols_new();
	is(named(s, &b, 1), "shown", "stripped: the dynamic symbols remain");
	snprintf(want, sizeof(want), "addr=<0x%llx> [bare]", (unsigned long long)(b.address[2] - b.bias));
	is(named(s, &b, 2), want, "a static function does not get its neighbour's name");
	b.id[0] ^= 1;
	snprintf(want, sizeof(want), "addr=<0x%llx> [bare]", (unsigned long long)(b.address[1] - b.bias));
	is(named(s, &b, 1), want, "another build id: the file is not asked");
	ok(symbols_note_n(s) == 1 && strstr(symbols_note(s, 0), "changed"), "and that is said once");
	is(symbols_get(s, "/nonexistent/lib.so", NULL, 0, 0x1000, 0x1234).name, "addr=<0x234> [lib.so]",
	   "a file that is gone");
	is(symbols_get(s, NULL, NULL, 0, 0, 0x1234).name, "addr=<0x1234>", "an address in no module");
	symbols_free(s);
}

static void test_cxx(void)
{
	struct symbols *s = symbols_new();
	struct built b;
	char want[300];

	if (!ok(!build(&b, "cxx", source_cc, "c++", "-g"), "C++: it builds"))
		return;
	snprintf(want, sizeof(want), "space::thing::twice(int) [{%s.cc} {3,0}]", b.path);
	is(named(s, &b, 1), want, "a method, readable, at its definition");
	snprintf(want, sizeof(want), "int half<int>(int) [{%s.cc} {7,0}]", b.path);
	is(named(s, &b, 2), want, "an instance of a template");
	symbols_free(s);
}

/* Binaries that are kept: read once, and what is wrong with one is a note of each who meets it. */
static void test_kept(void)
{
	struct symbols_kept *kept = symbols_kept_new();
	struct symbols *s = symbols_new_kept(kept);
	struct built b;
	struct trace_place first, again;
	uint64_t at;
	char want[300];

	if (!ok(!build(&b, "kept", source_c, "cc", "-g"), "a binary to keep builds"))
		return;
	at = b.address[1] - b.bias;
	snprintf(want, sizeof(want), "shown [{%s.c} {4,0}]", b.path);
	is(named(s, &b, 1), want, "the first look");
	first = symbols_place(s, b.path, b.id, b.id_n, at);
	named(s, &(struct built){.path = "/nonexistent/lib.so"}, 1);
	ok(symbols_note_n(s) == 1, "notes what it cannot read");
	symbols_free(s);
	unlink(b.path);
	s = symbols_new_kept(kept);
	is(named(s, &b, 1), want, "a later look needs no file");
	again = symbols_place(s, b.path, b.id, b.id_n, at);
	ok(again.code == first.code && again.n == first.n && !strcmp(again.code->name, "shown"),
	   "nor for the functions at an address");
	ok(!symbols_note_n(s), "and has no notes of others");
	named(s, &(struct built){.path = "/nonexistent/lib.so"}, 1);
	ok(symbols_note_n(s) == 1, "unless it meets the same file");
	symbols_free(s);
	s = symbols_new();
	snprintf(want, sizeof(want), "addr=<0x%llx> [kept]", (unsigned long long)at);
	is(named(s, &b, 1), want, "without what is kept, the file is missing");
	symbols_free(s);
	symbols_kept_free(kept);
}

/* One binary by itself. */
static void test_binary(void)
{
	struct binary bin = {0}, gone = {0};
	const struct function *f;
	struct built b;
	Dwarf_Die unit;

	if (!ok(!build(&b, "single", source_c, "cc", "-g"), "a single binary builds"))
		return;
	binary_open(&bin, b.path, b.id, b.id_n);
	f = binary_symbol(&bin, b.address[1] - b.bias);
	ok(!bin.wrong && f && !strcmp(f->name, "shown"), "its symbols have a function");
	f = binary_debug(&bin, b.address[1] - b.bias);
	ok(f && f->line == 4, "its debug information has the line");
	ok(!binary_unit(&bin, b.address[1] - b.bias, &unit) && binary_unit(&bin, 1, &unit), "and a unit, for code only");
	binary_close(&bin);
	b.id[0] ^= 1;
	binary_open(&gone, b.path, b.id, b.id_n);
	ok(gone.wrong && strstr(gone.wrong, "changed") && !binary_symbol(&gone, b.address[1] - b.bias), "another build id");
	binary_close(&gone);
}

/* Names for some addresses of a file. */
static void ask(const char *path)
{
	struct symbols *s = symbols_new();

	for (uint64_t address = 0x1000; address < 0x1400; address += 0x40) {
		struct trace_place p = symbols_place(s, path, NULL, 0, address);

		for (size_t i = 0; i < p.n; i++)
			if (!p.code[i].module)
				abort();
	}
	symbols_free(s);
}

/* Tables and headers with a wrong byte, and the file cut there: names or none, and no harm. */
static void test_damage(void)
{
	static unsigned char whole[1 << 18]; /* pages of 64 KiB on some processors */
	struct built b;
	char path[300];
	size_t n, tried = 0;
	FILE *f;

	if (!ok(!build(&b, "harmed", source_c, "cc", "-g -fPIE -pie -Wl,-z,noseparate-code"), "a program to be damaged builds"))
		return;
	f = fopen(b.path, "rb");
	n = f ? fread(whole, 1, sizeof(whole), f) : 0;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "%s.damaged", b.path);
	for (size_t i = 0; i < n; i += i < 64 + 13 * 56 || i + 38 * 64 > n ? 3 : 37, tried++) {
		unsigned char was = whole[i];

		f = fopen(path, "wb");
		whole[i] ^= i & 1 ? 0xff : (unsigned char)(1 << i % 8);
		/* Now and then the file ends there, too. */
		fwrite(whole, 1, i % 5 ? n : i, f);
		fclose(f);
		whole[i] = was;
		ask(path);
	}
	ok(n > 8000 && n < sizeof(whole), "a binary of %zu bytes, damaged in %zu places, names functions or none", n, tried);
}

int main(void)
{
	char command[100];

	if (!mkdtemp(dir))
		return 1;
	test_debug("pie", "-g -fPIE -pie");
	test_debug("fixed", "-g -no-pie");
	test_debug("dwarf4", "-gdwarf-4 -fPIE -pie");
	test_bare();
	test_cxx();
	test_kept();
	test_binary();
	test_damage();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
