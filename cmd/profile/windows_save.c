/* windows_save.c: writes profiles side by side into one directory. */
#include "cmd/profile/windows_save.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/io/whole_file.h"
#include "convert/tau/tau_profile.h"
#include "cmd/shared/output.h"

#define NAME_LONGEST 200 /* bytes: file systems take 255 */

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

static int entry_write(const char *path, const struct profile_format *f, struct profile *p,
		       struct error *e)
{
	struct output out;
	int code;

	if (!f->print)
		return tau_profile_write(path, p, e);
	code = output_begin(&out, path, e);
	if (code)
		return code;
	f->print(out.file, p, 0, 1);
	return output_close(&out, path, e);
}

int windows_save_begin(struct windows_save *s, const char *to, const struct profile_format *f,
		       size_t n, struct error *e)
{
	*s = (struct windows_save){.to = to, .format = f};
	if (!strcmp(to, "-"))
		return error_set(e, ERROR_USAGE,
				 "-: %zu windows make %zu files of this format: name a directory",
				 n,
				 n);
	s->temporary = mem_printf("%s.tmp.%ld", to, (long)getpid());
	if (!mkdir(s->temporary, 0777))
		return 0;
	error_set(e, ERROR_SYSTEM, "%s: %s", s->temporary, strerror(errno));
	free(s->temporary);
	s->temporary = NULL;
	return e->code;
}

int windows_save_one(struct windows_save *s, struct profile *p, struct error *e)
{
	char *name = entry_name(&s->taken, p, s->format->suffix);
	char *path = mem_printf("%s/%s", s->temporary, name);
	int code = entry_write(path, s->format, p, e);

	free(path);
	free(name);
	return code;
}

int windows_save_end(struct windows_save *s, int code, struct error *e)
{
	names_release(&s->taken);
	if (s->temporary && whole_folder_close(s->temporary, s->to, code, e))
		return e->code;
	return code;
}
