/* elf_symbols.c: the walk finds the symbols of this program, of each table once, and none in a file that is no program. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "convert/code/elf_symbols.h"
#include "files.h"
#include "tap.h"

__attribute__((used)) int elf_symbols_test_variable;

/* How often a symbol of that type has the name; *all: the number of symbols. */
static size_t count(Elf *elf, GElf_Word kind, int type, const char *name, size_t *all)
{
	struct elf_symbols s = {.elf = elf, .kind = kind};
	size_t n = 0;

	for (*all = 0; elf_symbols_next(&s); ++*all) {
		const char *is = elf_symbols_name(&s);

		n += is && !strcmp(is, name) && GELF_ST_TYPE(s.symbol.st_info) == type;
	}
	return n;
}

int main(void)
{
	unsigned char *bytes;
	size_t n, all, some;
	Elf *elf;
	int fd = open("/proc/self/exe", O_RDONLY);

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	n = count(elf, SHT_SYMTAB, STT_FUNC, "main", &all);
	ok(n == 1 && all > 10, "a function is found once, of %zu symbols", all);
	ok(count(elf, SHT_SYMTAB, STT_OBJECT, "elf_symbols_test_variable", &all) == 1, "and a variable");
	n = count(elf, SHT_DYNSYM, STT_FUNC, "open", &some) + count(elf, SHT_DYNSYM, STT_FUNC, "open64", &some);
	ok(n == 1 && some > 0 && some < all, "dynamic symbols are others: %zu", some);
	ok(count(elf, SHT_REL, STT_FUNC, "main", &all) == 0 && !all, "a kind without a table has no symbols");
	elf_end(elf);
	close(fd);
	bytes = file_get("/proc/self/exe", &n);
	for (size_t cut = 0; bytes && cut < n; cut += n / 37 + 1) {
		elf = elf_memory((char *)bytes, cut);
		count(elf, SHT_SYMTAB, STT_FUNC, "main", &some);
		elf_end(elf);
	}
	elf = elf_memory((char *)bytes, 100);
	ok(count(elf, SHT_SYMTAB, STT_FUNC, "main", &some) == 0 && !some, "a file that is cut short has none");
	elf_end(elf);
	free(bytes);
	return tap_end();
}
