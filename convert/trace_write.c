/* trace_write.c: the table of formats that traces are written in, and what its writers share. */
#include "trace_write.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct write_format write_formats[] = {
	{"tau", "a run of our own format", native_write},
	{"otf2", "an OTF2 archive", otf2_write},
	{"json", "Chrome's and Perfetto's trace events", json_write},
	{"csv", "one line an event", csv_write},
	{NULL, NULL, NULL},
};

const struct write_format *write_format_of(const char *name)
{
	for (const struct write_format *f = write_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

char *write_losses(const struct write_options *o)
{
	static const char *const what[LOSSES] = {
		[LOSS_OPEN] = "regions open at the begin, shown as entered there",
		[LOSS_OFF] = "switches of recording",
		[LOSS_FOLD] = "sums of folded calls",
		[LOSS_METRIC] = "values of metrics",
		[LOSS_SAMPLE] = "samples",
		[LOSS_PATH] = "paths of calls to allocations",
		[LOSS_BYTES] = "names that are no UTF-8, shown as Latin-1",
		[LOSS_TEXT] = "texts that are cut, being longer than 16 MB",
		[LOSS_THREAD] = "threads without events",
		[LOSS_LIVE] = "amounts of memory that was live at the begin",
	};
	char *all = NULL;

	for (int i = 0; i < LOSSES; i++) {
		char *longer;

		if (!o->loss[i])
			continue;
		longer = mem_printf("%s%s%llu %s", all ? all : "", all ? ", " : "",
				    (unsigned long long)o->loss[i], what[i]);
		free(all);
		all = longer;
	}
	return all;
}

int write_span(const struct trace *t, const struct write_options *o, uint32_t stream,
	       struct window_span *out)
{
	if (!only_stream(o->only, t, stream))
		return 0;
	*out = o->span ? o->span[t->stream[stream].process]
		       : (struct window_span){INT64_MIN, INT64_MAX};
	return out->end > out->begin;
}

int write_idle(const struct write_options *o)
{
	return !o->span && !only_regions(o->only);
}

void write_paths_lost(const struct trace *t, struct write_options *o)
{
	for (size_t i = 0; i < t->memtype_n; i++)
		o->loss[LOSS_PATH] += t->memtype[i].call != TRACE_NONE;
}

int write_nothing(const struct trace *t, const struct write_options *o, struct error *e)
{
	if (o->streams)
		return 0;
	return error_set(e, ERROR_INPUT, "%s: %s", t->path,
			 o->span ? "nothing happens in the window" : "there are no events in it");
}

/* Standard output, a device or a pipe cannot be replaced by a rename: it is written as it comes. */
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
	w->name = mem_printf("%s.XXXXXX", to);
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
		error_set(e, ERROR_USAGE, "-: this format is a folder, not one file");
		return NULL;
	}
	while (n > 1 && to[n - 1] == '/')
		n--;
	name = mem_printf("%.*s.XXXXXX", (int)n, to);
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

int whole_folder_close(char *name, const char *to, int bad, struct error *e)
{
	int code = 0;

	if (!bad && rename(name, to))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	if (bad || code)
		nftw(name, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(name);
	return code;
}
