/* text.c: text of files made safe for a terminal, and small readers of bytes that others wrote: the loader's cache, requests, a PLT. */
#include "analyze/base/text.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "convert/code/loader_cache.h"
#include "convert/code/plt.h"
#include "convert/code/select_request.h"
#include "tap.h"

static void entry(void *to, uint64_t low, uint64_t high, const char *name)
{
	*(int *)to += !(low < high && name);
}

int main(void)
{
	static const char *const levels[] = {NULL};
	char out[64], small[6], request[64], path[SELECT_REQUEST_MOST];
	struct select_request r;
	const char *found[4];
	int wrong = 0, fd = open("/proc/self/exe", O_RDONLY);
	Elf *elf;

	ok(text_clean_to(out, sizeof(out), "a\033b\302\233c\233\177") == 23 &&
		   !strcmp(out, "a\\x1bb\\xc2\\x9bc\\x9b\\x7f"),
	   "control characters and broken bytes: %s", out);
	ok(text_clean_to(out, sizeof(out), "\303\244 \342\202\254") == 6 && !strcmp(out, "\303\244 \342\202\254"), "UTF-8 stays");
	ok(text_clean_to(small, sizeof(small), "abc\033def") == 10 && !strcmp(small, "abc"), "a short buffer ends before what does not fit");
	ok(text_plain("\n") == 0 && text_plain("x") == 1 && text_plain("") == 0 && text_utf8("\303\244") == 2, "characters");
	ok(loader_cache_find("ld.so-1.7.0 and no more", 24, "libc.so.6", levels, found, 4) == 0, "a damaged cache names no library");
	size_t n = select_request_last(request);

	ok(n && n <= sizeof(request) && select_request_read(request, n, &r, path) == (int)n && !*r.path, "the last request is read back");
	ok(select_request_read(request, n - 1, &r, path) == 0, "half of it is not complete");
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		plt_read(elf, elf, entry, &wrong);
	ok(elf && !wrong, "entries of this program's PLT, if any, are ranges with names");
	elf_end(elf);
	close(fd);
	return tap_end();
}
