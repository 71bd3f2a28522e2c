/* whole_file.c: writes files and folders that appear complete under their name, or not at all. */
#include "convert/io/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens standard output, a device or a pipe, which a rename cannot replace, for direct writing. */
static int special_open(const char *to)
{
	struct stat st;

	if (!strcmp(to, "-"))
		return dup(STDOUT_FILENO);
	return !stat(to, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)
		       ? open(to, O_WRONLY | O_CLOEXEC)
		       : -2;
}

int whole_open(struct whole *w, const char *to, struct error *e)
{
	mode_t mask = umask(0);
	int fd = special_open(to);

	umask(mask);
	w->name = NULL;
	if (fd != -2) {
		w->file = fd < 0 ? NULL : fdopen(fd, "w");
		return w->file ? 0 : error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	}
	w->name = mem_printf("%s.%ld.XXXXXX", to, (long)getpid());
	fd = mkostemp(w->name, O_CLOEXEC);
	w->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (w->file && !fchmod(fd, 0666 & ~mask))
		return 0;
	error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	if (w->file)
		whole_close(w, to, 1, e);
	else
		free(w->name);
	return ERROR_SYSTEM;
}

int whole_close(struct whole *w, const char *to, int bad, struct error *e)
{
	int code = 0;

	if (!bad && (fflush(w->file) || ferror(w->file)))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	if (fclose(w->file) && !bad && !code)
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	if (!bad && !code && w->name && rename(w->name, to))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	if ((bad || code) && w->name)
		unlink(w->name);
	free(w->name);
	return code;
}

char *whole_folder(const char *to, struct error *e)
{
	size_t n = strlen(to);
	struct stat st;
	char *name;

	if (!strcmp(to, "-")) {
		error_set(e, ERROR_USAGE, "-: this format is a directory, not one file");
		return NULL;
	}
	while (n > 1 && to[n - 1] == '/')
		n--;
	name = mem_printf("%.*s.%ld.XXXXXX", (int)n, to, (long)getpid());
	if (!lstat(to, &st)) {
		error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(EEXIST));
	} else if (mkdtemp(name)) {
		mode_t mask = umask(0);

		umask(mask);
		if (!chmod(name, 0777 & ~mask))
			return name;
		error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	} else {
		error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	}
	free(name);
	return NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

void whole_folder_remove(const char *name)
{
	nftw(name, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int whole_folder_close(char *name, const char *to, int bad, struct error *e)
{
	int code = 0;

	if (!bad && rename(name, to))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	if (bad || code)
		whole_folder_remove(name);
	free(name);
	return code;
}

void whole_sweep(const char *to, pid_t pid)
{
	size_t n = strlen(to), k = 0;
	char *name = mem_alloc(2 * n + 1), *pattern;
	glob_t found;

	while (n > 1 && to[n - 1] == '/')
		n--;
	for (size_t i = 0; i < n; i++) {
		if (strchr("*?[\\", to[i]))
			name[k++] = '\\';
		name[k++] = to[i];
	}
	pattern = mem_printf("%s.%ld.??????", name, (long)pid);
	free(name);
	if (!glob(pattern, GLOB_NOSORT, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			whole_folder_remove(found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
}
