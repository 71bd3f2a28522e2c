/* windows_save.c: writes profiles side by side into one directory. */
#include "windows_save.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../convert/tau_profile.h"
#include "output.h"

#define NAME_LONGEST 200 /* bytes: file systems take 255 */

/* What the files of a format end in. */
static const struct {
	const char *format, *end;
} ends[] = {
	{"ppk", ".ppk"},   {"snapshot", ".xml"}, {"folded", ".folded"}, {"callgrind", ".callgrind"},
	{"pprof", ".txt"}, {"json", ".json"},    {"csv", ".csv"},       {"text", ".txt"},
};

static const char *end_of(const struct profile_format *f)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(ends[i].format, f->name))
			return ends[i].end;
	return "";
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

/* The name of a window's entry, which no other has. */
static char *entry_name(struct names *taken, const struct profile *p, const char *end)
{
	const char *window = p->window ? p->window : "all";
	size_t n = strlen(window);
	char *name;

	/* Not in the middle of a letter. */
	while (n > NAME_LONGEST || (n && n < strlen(window) && (window[n] & 0xc0) == 0x80))
		n--;
	name = mem_printf("%.*s%s", (int)n, window, end);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '_';
	if (*name == '.')
		*name = '_';
	for (unsigned k = 2; names_find(taken, name, strlen(name)) >= 0; k++) {
		free(name);
		name = mem_printf("%.*s (%u)%s", (int)n, window, k, end);
		for (char *c = name; *c; c++)
			if (*c == '/')
				*c = '_';
	}
	names_add(taken, name, strlen(name));
	return name;
}

static int entry_write(const char *path, const struct profile_format *f, struct profile *const *p,
		       struct error *e)
{
	struct output out;

	if (!f->print)
		return tau_profile_write(path, *p, e);
	output_open(&out);
	f->print(out.file, p, 1);
	return output_close(&out, path, e);
}

int windows_save(const char *to, const struct profile_format *f, struct profile *const *p, size_t n,
		 struct error *e)
{
	char *temporary = mem_printf("%s.tmp.%ld", to, (long)getpid());
	struct names taken = {0};
	int code = 0;

	if (!strcmp(to, "-"))
		code = error_set(e, ERROR_USAGE,
				 "-: %zu windows make %zu files of this format: name a folder", n,
				 n);
	else if (mkdir(temporary, 0777))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", temporary, strerror(errno));
	for (size_t i = 0; i < n && !code; i++) {
		char *name = entry_name(&taken, p[i], end_of(f));
		char *path = mem_printf("%s/%s", temporary, name);

		code = entry_write(path, f, &p[i], e);
		free(path);
		free(name);
	}
	if (!code && rename(temporary, to))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	if (code && strcmp(to, "-") != 0)
		nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	names_release(&taken);
	free(temporary);
	return code;
}
