/* unread_formats.c: recognizes formats of other tools that are not read, and names what to do with them. */
#include "convert/unread_formats.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/io/paths.h"
#include "convert/io/regular.h"

#define HEAD 512 /* bytes at the begin of a file that are looked at */

#define CONVERTED(format) "ParaProf reads it: paraprof -f " format " --pack out.ppk FILE"
#define FOLDED(script) "A script of FlameGraph folds it: " script
#define RECORD(wrapper) "Record the program with: tau-record --wrap " wrapper
#define NONE "No converter is known"
#define UNPACK(command) "Unpack it first: " command

/* A file of the format has these words where it begins, or in its first bytes, or its name ends so. */
struct unread {
	const char *begin, *within, *suffix; /* NULL: not looked at */
	const char *what, *advice;
};

static const struct unread formats[] = {
	{"gmon", NULL, NULL, "a profile of gprof",
	 "ParaProf reads what gprof prints: paraprof -f gprof --pack out.ppk FILE"},
	{"Flat profile:", NULL, NULL, "text of gprof", CONVERTED("gprof")},
	{"@ mpiP", NULL, ".mpiP", "a report of mpiP", CONVERTED("mpip")},
	{NULL, "<ipm", NULL, "a report of IPM", CONVERTED("ipm")},
	{NULL, "<HPCToolkitExperiment", NULL, "an experiment of HPCToolkit", CONVERTED("hpc")},
	{"HPCTOOLKIT", NULL, NULL, "a database of HPCToolkit",
	 "ParaProf reads the experiment.xml of older versions"},
	{"HPCRUN-", NULL, ".hpcrun", "a measurement of HPCToolkit",
	 "ParaProf reads the experiment.xml that hpcprof of older versions makes of it"},
	{"PERFILE2", NULL, NULL, "a recording of perf",
	 "Fold its stacks with FlameGraph: perf script | stackcollapse-perf.pl >out.folded"},
	{NULL, "\"traceEvents\"", NULL, "a trace for Chrome or Perfetto",
	 FOLDED("stackcollapse-chrome-tracing.py")},
	{NULL, NULL, ".vtune", "a result of VTune", FOLDED("stackcollapse-vtune.pl")},
	{"__rec=", NULL, ".cali", "a recording of Caliper", RECORD("caliper")},
	{NULL, NULL, ".nsys-rep", "a report of Nsight Systems", RECORD("cuda,nvtx")},
	{NULL, NULL, ".qdrep", "a report of Nsight Systems", RECORD("cuda,nvtx")},
	{"\xfb)\x03", NULL, NULL, "a profile of Python's cProfile", RECORD("python")},
	{NULL, "SLOG 2", ".slog2", "a SLOG2 trace",
	 "TAU makes such files from .trc and .edf files, which are read"},
	{"#Paraver", NULL, ".prv", "a trace of Paraver", NONE},
	{NULL, NULL, ".otf", "a trace of OTF 1", NONE},
	{"# callgrind", NULL, NULL, "a profile of Valgrind's callgrind", NONE},
	{NULL, NULL, ".tar.gz", "an archive of tar", UNPACK("tar -xf FILE")},
	{NULL, NULL, ".tgz", "an archive of tar", UNPACK("tar -xf FILE")},
	{NULL, NULL, ".tar.bz2", "an archive of tar", UNPACK("tar -xf FILE")},
	{NULL, NULL, ".tar.xz", "an archive of tar", UNPACK("tar -xf FILE")},
	{NULL, NULL, ".tar.zst", "an archive of tar", UNPACK("tar -xf FILE")},
	{"\x1f\x8b", NULL, NULL, "a compressed file that is no packed profile of TAU",
	 "Expand it (an archive: tar -xf FILE), or, if it is a profile of Go's pprof, fold it: "
	 "stackcollapse-go.pl"},
	{"BZh", NULL, ".bz2", "a file compressed by bzip2", UNPACK("bunzip2 -k FILE")},
	{"\xfd" "7zXZ", NULL, ".xz", "a file compressed by xz", UNPACK("unxz -k FILE")},
	{NULL, NULL, ".lzma", "a file compressed by lzma", UNPACK("unlzma -k FILE")},
	{"\x28\xb5\x2f\xfd", NULL, ".zst", "a file compressed by zstd", UNPACK("unzstd FILE")},
	{"\x04\x22\x4d\x18", NULL, ".lz4", "a file compressed by lz4", UNPACK("unlz4 FILE")},
	{"\x1f\x9d", NULL, ".Z", "a file compressed by compress", UNPACK("gzip -dk FILE")},
	{"PK\x03\x04", NULL, ".zip", "an archive of zip", UNPACK("unzip FILE")},
	{"7z\xbc\xaf\x27\x1c", NULL, ".7z", "an archive of 7-Zip", UNPACK("7z x FILE")},
	{NULL, "ustar", ".tar", "an archive of tar", UNPACK("tar -xf FILE")},
	{NULL, NULL, ".trc", "a .trc file without the content of a trace of TAU",
	 "It is damaged, or of another tool"},
	{NULL, NULL, NULL, NULL, NULL},
};

static int is_format(const struct unread *f, const char *name, const char *head, size_t n)
{
	return (f->begin && n >= strlen(f->begin) && !memcmp(head, f->begin, strlen(f->begin))) ||
	       (f->within && memmem(head, n, f->within, strlen(f->within))) ||
	       (f->suffix && path_ends_in(name, f->suffix));
}

static int refuse(const char *path, const char *head, size_t n, struct error *e)
{
	for (const struct unread *f = formats; f->what; f++)
		if (is_format(f, path, head, n))
			return error_set(e, ERROR_INPUT,
					 "%s: %s is not read. %s (tau-formats(5))",
					 path, f->what, f->advice);
	return 0;
}

/* The first file in order of names that has the suffix of a format. */
static int refuse_folder(const char *path, struct error *e)
{
	struct dirent **entry;
	int n = scandir(path, &entry, NULL, alphasort), code = 0;

	for (int i = 0; i < n; i++) {
		char *file = mem_printf("%s/%s", path, entry[i]->d_name);

		code = code ? code : refuse(file, "", 0, e);
		free(file);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return code;
}

int unread_format(const char *path, struct error *e)
{
	char head[HEAD];
	struct error none = {0};
	struct stat st;
	ssize_t n;
	int fd;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return refuse_folder(path, e);
	fd = regular_open(path, &none);
	if (fd < 0)
		return 0;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return refuse(path, head, n > 0 ? (size_t)n : 0, e);
}
