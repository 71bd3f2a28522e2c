/* code_files.c: what is read from shared libraries and debug information: exported functions, variables, lines, callers. */
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convert/code/callers.h"
#include "convert/code/exports.h"
#include "convert/code/inlines.h"
#include "convert/code/variables.h"
#include "convert/io/isal.h"
#include "files.h"
#include "tap.h"

static char folder[] = "/tmp/code-files-XXXXXX";

static const char source[] =
	"int shown = 5;\n"
	"int pair[4] = {1, 2, 3, 4};\n"
	"static inline __attribute__((always_inline)) int twice(int x) { return x * pair[x & 3]; }\n"
	"static int hidden(int x) { return x + shown; }\n"
	"int exported(int x)\n"
	"{\n"
	"	return twice(x) + hidden(x);\n"
	"}\n"
	"__attribute__((weak)) int weak(void) { return 1; }\n"
	"static __attribute__((noinline)) int unnamed(int x) { return x * shown; }\n"
	"int caller(int x) { return unnamed(x) + 1; }\n";

static int built(const char *name, const char *flags)
{
	char command[600];

	file_put(file_below(folder, "a.c"), source, sizeof(source) - 1);
	snprintf(command, sizeof(command), "cd %s && cc -shared -fPIC %s a.c -o %s", folder, flags, name);
	return !system(command);
}

static void test_exports(void)
{
	static const struct {
		const char *function;
		int there;
	} cases[] = {{"exported", 1}, {"weak", 1}, {"hidden", 0}, {"twice", 0}, {"shown", 0}};
	struct exports x;
	struct error e = {0};

	ok(!exports_read(file_below(folder, "liba.so"), &x, &e) && !strcmp(x.soname, "liba.so.7"), "a library with a soname: %s", x.soname);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok((names_find(&x.functions, cases[i].function, strlen(cases[i].function)) >= 0) == cases[i].there, "%s is %s", cases[i].function,
		   cases[i].there ? "exported" : "not");
	exports_release(&x);
	ok(exports_read(file_below(folder, "a.c"), &x, &e) == ERROR_INPUT, "a text: %s", e.text);
	ok(exports_read("/nonexistent.so", &x, &e) == ERROR_SYSTEM, "no file: %s", e.text);
	ok(exports_read("/proc/self/exe", &x, &e) == ERROR_INPUT || !strcmp(x.soname, "exe"), "a program");
	exports_release(&x);
}

/* Every byte of the heads and tables is damaged in turn. */
static void test_damaged(void)
{
	size_t n, read = 0, refused = 0;
	unsigned char *p = file_get(file_below(folder, "liba.so"), &n);

	for (size_t at = 0; at < n; at += at < 64 ? 1 : 97) {
		struct exports x;
		struct error e = {0};

		p[at] ^= 0xff;
		file_put(file_below(folder, "bad.so"), p, n);
		p[at] ^= 0xff;
		if (exports_read(file_below(folder, "bad.so"), &x, &e))
			refused++;
		else
			read++;
		exports_release(&x);
		free(variable_name(file_below(folder, "bad.so"), NULL, 0, 0x4000));
	}
	ok(read && refused, "damaged libraries: %zu are read, %zu are refused", read, refused);
	free(p);
}

static uint64_t address_of(const char *name)
{
	int fd = open(file_below(folder, "liba.so"), O_RDONLY);
	Elf_Scn *section = NULL;
	uint64_t found = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr h;
		GElf_Sym sym;

		if (!gelf_getshdr(section, &h) || (h.sh_type != SHT_DYNSYM && h.sh_type != SHT_SYMTAB))
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(section, NULL), i, &sym); i++)
			if (!strcmp(elf_strptr(elf, h.sh_link, sym.st_name), name))
				found = sym.st_value;
	}
	elf_end(elf);
	close(fd);
	return found;
}

static void is_variable(uint64_t address, const unsigned char *id, size_t id_n, const char *want)
{
	char *name = variable_name(file_below(folder, "liba.so"), id, id_n, address);

	ok(want ? name && !strcmp(name, want) : !name, "variable: %s", name ? name : "none");
	free(name);
}

static void test_variables(void)
{
	static const unsigned char id[20] = {1};

	is_variable(address_of("shown"), NULL, 0, "shown");
	is_variable(address_of("pair") + 8, NULL, 0, "pair+0x8");
	is_variable(address_of("pair") + 16, NULL, 0, address_of("shown") == address_of("pair") + 16 ? "shown" : NULL);
	is_variable(address_of("exported"), NULL, 0, NULL);
	is_variable(address_of("shown"), id, sizeof(id), NULL);
	ok(!variable_name("/nonexistent", NULL, 0, 1), "no file");
}

static void test_lines(void)
{
	int fd = open(file_below(folder, "liba.so"), O_RDONLY);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	uint64_t begin = address_of("exported");
	const char *file = NULL, *second = NULL;
	uint32_t line = 0;
	size_t most = 0;
	struct inlined in[4];
	Dwarf_Die unit;

	if (!dwarf || !dwarf_addrdie(dwarf, begin, &unit)) {
		skip("lines", "no debug information");
		return;
	}
	most = (size_t)inlines_line(&unit, begin, &file, &line);
	ok(most && strstr(file, "a.c") && line >= 3 && line <= 7, "line of a function: %s:%u", file ? file : "", line);
	most = 0;
	for (uint64_t at = begin; at < begin + 64; at++) {
		size_t n = inlines_get(&unit, at, in, 4);

		if (n > most) {
			most = n;
			second = in[0].name;
			ok(n < 2 || !strcmp(in[n - 1].name, "exported"), "the outermost is a function of its own");
		}
	}
	ok(most == 2 && !strcmp(second, "twice"), "an inlined function is inside another: %zu", most);
	ok(inlines_get(&unit, begin, in, 0) == 0 && inlines_get(&unit, UINT64_MAX, in, 4) == 0, "no room, and no function");
	dwarf_end(dwarf);
	close(fd);
}

static const char *name_of(void *to, uint64_t address)
{
	uint64_t begin = *(uint64_t *)to;

	return address >= begin && address < begin + 64 ? "caller" : NULL;
}

/* In a file of the folder, the function without a name is called by the one after it. */
static void check_callers(const char *name)
{
	uint64_t begin = address_of("caller"), unnamed = address_of("unnamed");
	int fd = open(file_below(folder, name), O_RDONLY);
	char *words, want[100];
	struct callers *c;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	c = callers_new(elf);
	if (!c) {
		skip("callers", "another processor");
	} else {
		snprintf(want, sizeof(want), "static function at 0x%llx, called by caller", (unsigned long long)unnamed);
		words = callers_words(c, unnamed, name_of, &begin);
		ok(words && !strcmp(words, want), "%s: %s", name, words ? words : "nothing");
		free(words);
		ok(!callers_words(c, 1, name_of, &begin), "nothing is known of an address outside of all functions");
		callers_free(c);
	}
	elf_end(elf);
	close(fd);
}

/* With a table of sections, without one, and with one whose sections are all the whole file. */
static void test_callers(void)
{
	size_t n;
	unsigned char *p = file_get(file_below(folder, "liba.so"), &n);
	Elf64_Ehdr *h = (Elf64_Ehdr *)(void *)p;
	int text = open(file_below(folder, "a.c"), O_RDONLY);
	Elf *none;

	elf_version(EV_CURRENT);
	none = elf_begin(text, ELF_C_READ, NULL);
	ok(!callers_new(none), "a text has no functions");
	elf_end(none);
	close(text);
	check_callers("liba.so");
	for (Elf64_Shdr *s = (Elf64_Shdr *)(void *)(p + h->e_shoff); s < (Elf64_Shdr *)(void *)(p + h->e_shoff) + h->e_shnum; s++)
		if (s->sh_type == SHT_PROGBITS && !(s->sh_flags & SHF_EXECINSTR)) {
			s->sh_flags |= SHF_EXECINSTR;
			s->sh_offset = 0;
			s->sh_size = n;
		}
	file_put(file_below(folder, "overlapping.so"), p, n);
	check_callers("overlapping.so");
	h->e_shoff = 0;
	h->e_shnum = h->e_shstrndx = 0;
	file_put(file_below(folder, "no-sections.so"), p, n);
	check_callers("no-sections.so");
	free(p);
}

static void test_isal(void)
{
	void *library = isal_open(), *function = folder;

	isal_find(NULL, "isal_inflate", &function);
	ok(!function, "without the library there is no function");
	isal_find(library, "isal_inflate", &function);
	ok(!library == !function, "with it there is");
	isal_find(library, "no such function", &function);
	ok(!function, "but none of another name");
	isal_close(library);
	isal_close(NULL);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	if (!built("liba.so", "-g -O1 -fno-inline-small-functions -Wl,-soname,liba.so.7 -Wl,--build-id")) {
		skip("code", "no compiler");
		folder_remove(folder);
		return tap_end();
	}
	test_exports();
	test_damaged();
	test_variables();
	test_lines();
	test_callers();
	test_isal();
	folder_remove(folder);
	return tap_end();
}
