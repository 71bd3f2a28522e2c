/* make_wrapper.c: makes a wrapper of a C header and a shared library, with the compiler that reads the header. */
#include "cmd/record/wrappers/make_wrapper.h"
#include "cmd/record/wrappers/wrappers.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/shared/installed.h"
#include "cmd/shared/shell_word.h"
#include "convert/code/exports.h"
#include "convert/code/prototypes.h"
#include "convert/io/whole_file.h"

/* In front of the header: some, as that of libjpeg, use FILE and size_t without an #include. */
#define BEFORE "#define _GNU_SOURCE\n#include <stddef.h>\n#include <stdio.h>\n"

#define FUNCTION_SIZES 3	/* at most this many sizes of one function are recorded */

extern char **environ;

struct making {
	const char *header;	/* as in #include, with its brackets or quotes */
	char *library;		/* path */
	char *name, *folder;
	char tools[PATH_MAX];	/* the folder of gen.awk and tau.h */
	struct exports exports;
	struct prototypes all;
	size_t rows, skipped, sizes;
};

/* Runs a shell command; its output goes to the file `to`, NULL: ours. ERROR_INPUT: it failed. */
static int shell(const char *command, const char *to, struct error *e)
{
	char *const argv[] = {"sh", "-c", (char *)command, NULL};
	posix_spawn_file_actions_t actions;
	int status = 0, failed;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (to)
		posix_spawn_file_actions_addopen(&actions, 1, to, O_WRONLY | O_CREAT | O_TRUNC,
						 0666);
	failed = posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failed)
		return error_set(e, ERROR_SYSTEM, "sh: %s", strerror(failed));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? error_set(e, ERROR_INPUT, "the command failed: %s", command) : 0;
}

/*
 * The shell finds the compiler: $CC, or gcc; and the flags of the preprocessor that the user has set. ccache would
 * forget the declarations.
 */
#define COMPILER "CCACHE_DISABLE=1 ${CC:-gcc} $CPPFLAGS"

/* The file of -lNAME is the one that the linker would take. */
static int library_path(struct making *m, const char *library, struct error *e)
{
	char *word, *command, *answer, path[PATH_MAX] = "";
	FILE *f;
	int bad;

	if (!strncmp(library, "-l", 2))
		library += 2;
	if (strchr(library, '/') || access(library, R_OK) == 0) {
		m->library = mem_string(library);
		return 0;
	}
	word = mem_printf("lib%s.so", library);
	answer = shell_word(word);
	command = mem_printf(COMPILER " -print-file-name=%s", answer);
	free(answer);
	answer = mem_printf("%s/library", m->folder);
	bad = shell(command, answer, e);
	f = bad ? NULL : fopen(answer, "r");
	if (f && fgets(path, sizeof(path), f))
		path[strcspn(path, "\n")] = 0;
	if (f)
		fclose(f);
	unlink(answer);
	if (!bad && !strchr(path, '/'))
		bad = error_set(e, ERROR_SYSTEM,
				"%s: the compiler finds no such library: install its development "
				"package, or give the path of the library", word);
	free(command);
	free(answer);
	free(word);
	m->library = mem_string(path);
	return bad;
}

/* libz.so.1 is z. */
static char *library_name(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char *name;

	base += strncmp(base, "lib", 3) == 0 && base[3] ? 3 : 0;
	name = mem_string(base);
	if (strstr(name, ".so"))
		*strstr(name, ".so") = 0;
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return name;
}

static FILE *file_make(const struct making *m, const char *suffix, struct error *e)
{
	char *path = mem_printf("%s/%s%s", m->folder, m->name, suffix);
	FILE *f = fopen(path, "w");

	if (!f)
		error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	free(path);
	return f;
}

static int file_made(FILE *f, struct error *e)
{
	int bad = ferror(f);

	return fclose(f) || bad ? error_set(e, ERROR_SYSTEM, "a file of the wrapper: %s",
					    strerror(errno))
				: 0;
}

/* Puts what the compiler reports about the header into `all`. */
static int header_read(struct making *m, struct error *e)
{
	char *folder = shell_word(m->folder), *command, *path, *line = NULL;
	size_t room = 0;
	FILE *f = file_make(m, ".probe.c", e);

	if (!f)
		return e->code;
	fprintf(f, BEFORE "#include %s\n", m->header);
	if (file_made(f, e) < 0)
		return e->code;
	command = mem_printf("cd %s && " COMPILER " -w -fsyntax-only -aux-info declared %s.probe.c",
			     folder, m->name);
	path = mem_printf("%s/declared", m->folder);
	f = shell(command, NULL, e) < 0 ? NULL : fopen(path, "r");
	if (!f)
		error_set(e, ERROR_INPUT,
			  "%s: GCC cannot read this header (CC and CPPFLAGS choose the compiler "
			  "and the folders of headers)", m->header);
	while (f && getline(&line, &room, f) > 0)
		prototypes_add(&m->all, line);
	if (f)
		fclose(f);
	unlink(path);
	free(path);
	path = mem_printf("%s/%s.probe.c", m->folder, m->name);
	unlink(path);
	free(path);
	free(command);
	free(folder);
	free(line);
	return e->code;
}

/* The name of an argument in its row. */
static const char *row_argument(const struct prototype *p, size_t i, char room[32])
{
	const char *name = p->argument[i];

	if (name && strcmp(name, "ret") != 0 && strncmp(name, "wrap_", 5) != 0)
		return name;
	snprintf(room, 32, "a%zu", i + 1);
	return room;
}

/* May the argument be a size? The compiler decides in the end whether it is an integer. */
static int sized(const struct prototype *p, size_t i)
{
	return p->argument[i] && prototype_is_size(p->argument[i]) && !strchr(p->type[i], '*');
}

static size_t sizes_of(const struct prototype *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->arguments; i++)
		n += (size_t)sized(p, i);
	return n < FUNCTION_SIZES ? n : FUNCTION_SIZES;
}

/* "class=sizes(0, SIZE(len), -1, -1)": the first event of the row, and up to three sizes. */
static void class_print(FILE *f, struct making *m, const struct prototype *p)
{
	size_t n = 0;
	char room[32];

	if (!sizes_of(p))
		return;
	fprintf(f, " class=sizes(%zu", m->sizes);
	m->sizes += sizes_of(p);
	for (size_t i = 0; i < p->arguments && n < FUNCTION_SIZES; i++)
		if (sized(p, i)) {
			fprintf(f, ", SIZE(%s)", row_argument(p, i, room));
			n++;
		}
	for (; n < FUNCTION_SIZES; n++)
		fprintf(f, ", -1");
	fputc(')', f);
}

/* The arguments of a row; pointers to functions by the names that typedefs give them. */
static void arguments_print(FILE *f, const struct prototype *p)
{
	char room[32];

	if (!p->arguments)
		fprintf(f, "void");
	for (size_t i = 0; i < p->arguments; i++) {
		const char *name = row_argument(p, i, room);
		int function;
		char *plain = prototype_argument(p->type[i], name, &function);

		if (function)
			fprintf(f, "%s%s_type_%zu %s", i ? ", " : "", p->name, i + 1,
				name);
		else
			fprintf(f, "%s%s", i ? ", " : "", plain);
		free(plain);
	}
}

static int exported(const struct making *m, const struct prototype *p)
{
	return names_find(&m->exports.functions, p->name, strlen(p->name)) >= 0;
}

static int rows_write(struct making *m, struct error *e)
{
	FILE *f = file_make(m, ".list", e);

	if (!f)
		return e->code;
	fprintf(f,
		"# %s.list: the functions of %s that %s declares, one row each;\n"
		"# %s/gen.awk explains the rows.\n\ngroup ",
		m->name, m->exports.soname, m->header, m->tools);
	for (const char *c = m->name; *c; c++)
		fputc(toupper((unsigned char)*c), f);
	fprintf(f, "\n\n");
	for (size_t i = 0; i < m->all.v_n; i++) {
		const struct prototype *p = &m->all.v[i];

		if (!exported(m, p))
			continue;
		if (p->refusal) {
			fprintf(f, "skip %s %s\n", p->name, prototype_refusal_text(p->refusal));
			m->skipped++;
			continue;
		}
		fprintf(f, "%s %s(", p->returns, p->name);
		arguments_print(f, p);
		fputc(')', f);
		class_print(f, m, p);
		fputc('\n', f);
		m->rows++;
	}
	return file_made(f, e);
}

/* Types of arguments that are pointers to functions. */
static void typedefs_print(FILE *f, const struct making *m)
{
	for (size_t i = 0; i < m->all.v_n; i++) {
		const struct prototype *p = &m->all.v[i];

		for (size_t k = 0; exported(m, p) && !p->refusal && k < p->arguments; k++) {
			char *name = mem_printf("%s_type_%zu", p->name, k + 1);
			int function;
			char *text = prototype_argument(p->type[k], name, &function);

			if (function)
				fprintf(f, "typedef %s;\n", text);
			free(text);
			free(name);
		}
	}
}

/* Macros of the header with the names of its functions, and the names of the events. */
static void names_print(FILE *f, const struct making *m)
{
	for (size_t i = 0; i < m->all.v_n; i++)
		if (exported(m, &m->all.v[i]) && !m->all.v[i].refusal)
			fprintf(f, "#undef %s\n", m->all.v[i].name);
	fprintf(f, "\nstatic const char *const size_names[] = {\n");
	for (size_t i = 0; i < m->all.v_n; i++) {
		const struct prototype *p = &m->all.v[i];
		size_t n = 0;

		for (size_t k = 0; exported(m, p) && !p->refusal && k < p->arguments; k++)
			if (sized(p, k) && n++ < FUNCTION_SIZES)
				fprintf(f, "\t\"%s() %s\",\n", p->name, p->argument[k]);
	}
	fprintf(f, "\tNULL};\n");
}

static const char code[] =
	"static uint32_t size_events[sizeof(size_names) / sizeof(*size_names)];\n"
	"\n"
	"/* An argument as a number, -1 where it is no integer. */\n"
	"#define SIZE(x) \\\n"
	"\t((double)__builtin_choose_expr(__builtin_classify_type(x) == 1, (x), -1))\n"
	"\n"
	"struct sizes_call { char unused; };\n"
	"\n"
	"static void size_record(unsigned i, double size)\n"
	"{\n"
	"\tuint32_t id;\n"
	"\n"
	"\tif (size < 0)\n"
	"\t\treturn;\n"
	"\tid = __atomic_load_n(&size_events[i], __ATOMIC_RELAXED);\n"
	"\tif (!id) {\n"
	"\t\tid = tau_event(size_names[i], 0);\n"
	"\t\t__atomic_store_n(&size_events[i], id, __ATOMIC_RELAXED);\n"
	"\t}\n"
	"\ttau_trigger(id, size);\n"
	"}\n"
	"\n"
	"static inline void sizes_before(struct sizes_call *call, unsigned first, double a,\n"
	"\t\t\t\tdouble b, double c)\n"
	"{\n"
	"\tsize_record(first, a);\n"
	"\tsize_record(first + 1, b);\n"
	"\tsize_record(first + 2, c);\n"
	"}\n"
	"\n"
	"static inline void sizes_after(struct sizes_call *call, int unused)\n"
	"{\n"
	"}\n"
	"\n"
	"static long missing(void)\n"
	"{\n"
	"\terrno = ENOSYS;\n"
	"\treturn -1;\n"
	"}\n"
	"\n"
	"/* The next definition, or that of a library which the program has opened for itself. */\n"
	"void *wrap_find(const char *symbol)\n"
	"{\n"
	"\tint saved = errno;\n"
	"\tvoid *real, *library;\n"
	"\n"
	"\ttau_hide();\n"
	"\treal = dlsym(RTLD_NEXT, symbol);\n"
	"\tlibrary = real ? NULL : dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);\n"
	"\tif (library)\n"
	"\t\treal = dlsym(library, symbol);\n"
	"\ttau_show();\n"
	"\terrno = saved;\n"
	"\treturn real ? real : (void *)missing;\n"
	"}\n"
	"\n"
	"#define WRAP_ENTRIES\n";

static int source_write(struct making *m, struct error *e)
{
	FILE *f = file_make(m, ".c", e);
	char *version;

	if (!f)
		return e->code;
	fprintf(f,
		"/*\n * %s.c: the wrapper of %s for tau-record, made from %s.\n"
		" * After a change of %s.list or of this file, in this folder:\n"
		" *\tawk -f %s/gen.awk %s.list >%s.gen.c\n"
		" *\tcc -O2 -fPIC -shared -fvisibility=hidden -w -I%s %s.c -o libtau-%s.so\n "
		"*/\n" BEFORE "#include %s\n#include <dlfcn.h>\n#include <errno.h>\n\n"
		"#include \"tau.h\"\n\n#define LIBRARY \"%s\"\n\n",
		m->name, m->exports.soname, m->header, m->name, m->tools, m->name, m->name,
		m->tools, m->name, m->name, m->header, m->exports.soname);
	version = wrappers_version();
	if (version)
		fprintf(f,
			"/* tau-record finds by it whether the wrapper fits the recorder. */\n"
			"__attribute__((visibility(\"default\"))) void " WRAPPER_MADE_FOR
			"%s(void)\n{\n}\n\n",
			version);
	free(version);
	typedefs_print(f, m);
	names_print(f, m);
	fprintf(f, "\n#include \"%s.gen.c\"\n\n%s#include \"%s.gen.c\"\n", m->name, code, m->name);
	return file_made(f, e);
}

static int build(const struct making *m, struct error *e)
{
	char *folder = shell_word(m->folder), *tools = shell_word(m->tools);
	char *command = mem_printf(
		"cd %s && ${AWK:-awk} -f %s/gen.awk %s.list >%s.gen.c && " COMPILER
		" -O2 -fPIC -shared -fvisibility=hidden -w -I%s %s.c -o libtau-%s.so -ldl",
		folder, tools, m->name, m->name, tools, m->name, m->name);
	int bad = shell(command, NULL, e);

	free(command);
	free(folder);
	free(tools);
	return bad;
}

static int tools_find(struct making *m, struct error *e)
{
	char path[PATH_MAX];

	if (!installed_find("tau-wrapper/gen.awk", path))
		return error_set(e, ERROR_SYSTEM,
				 "tau-wrapper/gen.awk was not found: it must be beside tau-record "
				 "or in ../lib/tau");
	*strrchr(path, '/') = 0;
	snprintf(m->tools, sizeof(m->tools), "%s", path);
	return 0;
}

static int wrapper_write(struct making *m, const char *library, struct error *e)
{
	if (library_path(m, library, e) < 0 || exports_read(m->library, &m->exports, e) < 0)
		return e->code;
	m->name = library_name(m->exports.soname);
	if (!strcmp(m->exports.soname, "libc.so.6") || !strncmp(m->exports.soname, "ld-linux", 8))
		return error_set(e, ERROR_INPUT,
				 "%s: the recorder itself calls this library; --wrap io, pthread "
				 "and process record it", m->exports.soname);
	if (header_read(m, e) < 0 || rows_write(m, e) < 0)
		return e->code;
	if (!m->rows)
		return error_set(e, ERROR_INPUT, "%s: it declares no function that %s exports",
				 m->header, m->exports.soname);
	return source_write(m, e) < 0 ? e->code : build(m, e);
}

int make_wrapper(const char *header, const char *library, const char *output, struct error *e)
{
	struct making m = {0};
	char path[PATH_MAX], *include, *name, *to;
	int bad;

	if (!library)
		return error_set(e, ERROR_USAGE,
				 "--make-wrapper: give one library after the header: tau-record "
				 "--make-wrapper zlib.h -l z");
	include = realpath(header, path) ? mem_printf("\"%s\"", path) : mem_printf("<%s>", header);
	m.header = include;
	name = library_name(library);
	to = output ? mem_string(output) : mem_printf("tau-wrapper-%s", name);
	m.folder = whole_folder(to, e);
	bad = !m.folder || tools_find(&m, e) < 0 || wrapper_write(&m, library, e) < 0;
	if (m.folder && whole_folder_close(m.folder, to, bad, e) < 0)
		bad = 1;
	if (!bad)
		printf("%s/libtau-%s.so records %zu function%s of %s (%zu skipped, with reasons in "
		       "%s.list)\ntau-record --wrap %s%s/libtau-%s.so PROGRAM\n",
		       to, m.name, m.rows, plural(m.rows), m.exports.soname, m.skipped, m.name,
		       *to == '/' ? "" : "./", to, m.name);
	prototypes_release(&m.all);
	exports_release(&m.exports);
	free(m.library);
	free(m.name);
	free(include);
	free(name);
	free(to);
	return bad ? e->code : 0;
}

const char *library_operand(const char *beside, char **operand, int n)
{
	if (!beside || !*beside)
		return n == 1 ? operand[0] : NULL;
	return n ? NULL : beside;
}
