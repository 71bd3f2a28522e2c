/* text_file.c: text with byte order marks, and in UTF-16, is read as UTF-8 without a mark. */
#include <string.h>
#include <unistd.h>

#include "convert/io/text_file.h"
#include "files.h"
#include "tap.h"

static char path[] = "/tmp/tau-text-file.XXXXXX";

#define READS(what, bytes, text) \
	do { \
		char got[64] = ""; \
		FILE *f; \
		file_put(path, bytes, sizeof(bytes) - 1); \
		f = text_fopen(path, NULL); \
		got[f ? fread(got, 1, sizeof(got) - 1, f) : 0] = 0; \
		ok(f && !strcmp(got, text), what); \
		if (f) \
			fclose(f); \
	} while (0)

int main(void)
{
	struct error e = {0};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	READS("plain text", "ab\ncd", "ab\ncd");
	READS("an empty file", "", "");
	READS("a mark of UTF-8", "\xef\xbb\xbf" "ab\n", "ab\n");
	READS("UTF-16, low byte first", "\xff\xfe" "a\0b\0\n\0", "ab\n");
	READS("UTF-16, high byte first", "\xfe\xff" "\0a\0b\0\n", "ab\n");
	READS("a letter of two bytes", "\xff\xfe" "\xe9\0", "\xc3\xa9");
	READS("a mark and nothing else", "\xef\xbb\xbf", "");
	unlink(path);
	ok(!text_fopen(path, &e) && strstr(e.text, path), "a file that is not there: %s", e.text);
	return tap_end();
}
