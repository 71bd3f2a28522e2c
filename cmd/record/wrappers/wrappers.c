/* wrappers.c: selects the wrappers of a program, and makes the value of LD_PRELOAD. */
#include "cmd/record/wrappers/wrappers.h"
#include "cmd/record/wrappers/wrapper_rows.h"
#include "cmd/shared/choice.h"

#include "cmd/shared/installed.h"
#include "cmd/record/launch/loader.h"
#include "cmd/shared/message.h"
#include "convert/launchers.h"
#include "convert/code/elf_dynamic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALLSITE "callsite"

int library_find(const char *name, char out[PATH_MAX])
{
	char file[NAME_MAX];
	struct stat st;

	if (strchr(name, '/'))
		return realpath(name, out) && !stat(out, &st) && S_ISREG(st.st_mode) &&
		       access(out, R_OK) == 0;
	snprintf(file, sizeof(file), "libtau%s%s.so", *name ? "-" : "", name);
	return installed_find(file, out);
}

/* Is a library whose name begins so among those of the program? */
static int needs(const struct target *t, const char *library)
{
	for (size_t i = 0; i < t->needed.library_n; i++) {
		const char *name = t->needed.library[i].name, *slash = strrchr(name, '/');

		if (!strncmp(slash ? slash + 1 : name, library, strlen(library)))
			return 1;
	}
	return 0;
}

static int wrapper_fits(const struct wrapper *w, const struct target *t)
{
	for (const char *const *library = w->libraries; *library; library++)
		if (needs(t, *library))
			return 1;
	return w->mpi && t->mpi.abi == w->mpi;
}

/* The program has an MPI that this wrapper is not made for: handles of one are addresses to another. */
static int wrapper_foreign(const struct wrapper *w, const struct target *t)
{
	return w->mpi && t->mpi.abi && t->mpi.abi != w->mpi;
}

/* The wrapper for this kind of MPI; NULL: there is none. */
static const struct wrapper *wrapper_of_mpi(enum mpi_abi abi)
{
	for (const struct wrapper *w = wrappers; w->name; w++)
		if (w->mpi && w->mpi == abi)
			return w;
	return NULL;
}

/* Has the launcher of this process an MPI of the MPICH ABI? */
static int launched_mpich(void)
{
	static int known = -1;
	struct launched l;

	if (known >= 0)
		return known;
	launched_find(&l);
	known = l.by && l.by->mpich;
	return known;
}

/*
 * The wrapper that this program gets by the name of one. A wrapper for MPI becomes that for the program's own library or, if
 * that is unknown before it runs, for its launcher. NULL: there is none.
 */
static const struct wrapper *wrapper_selected(const struct wrapper *w, const struct target *t)
{
	if (!w || !w->mpi)
		return w;
	if (t->mpi.abi)
		return wrapper_of_mpi(t->mpi.abi);
	return launched_mpich() ? wrapper_of_mpi(MPI_ABI_MPICH) : w;
}

/* The row of a wrapper; NULL: none. */
static const struct wrapper *wrapper_row(const char *name)
{
	for (const struct wrapper *w = wrappers; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

/* Next word of --wrap, from *at on; 0 at the end. */
static int wrap_word(const char **at, char word[PATH_MAX])
{
	size_t n;

	while (*at && **at == ',')
		++*at;
	if (!*at || !**at)
		return 0;
	n = strcspn(*at, ",");
	snprintf(word, PATH_MAX, "%.*s", (int)n, *at);
	*at += n;
	return 1;
}

/* Is name one of the words of --wrap? */
static int wrapper_listed(const char *name, const char *list)
{
	const char *at = list;
	char word[PATH_MAX];

	while (wrap_word(&at, word))
		if (!strcmp(word, name))
			return 1;
	return 0;
}

/* Is it the name of a wrapper that is installed, or of one for MPI where any of these is? */
static int word_known(const char *word)
{
	const struct wrapper *w = wrapper_row(word);
	char path[PATH_MAX];

	if (library_find(word, path))
		return 1;
	for (const struct wrapper *o = wrappers; w && w->mpi && o->name; o++)
		if (o->mpi && library_find(o->name, path))
			return 1;
	return 0;
}

static int no_wrapper(const char *word, struct error *e)
{
	const char **known;
	size_t n = 0;
	char *near;

	if (strchr(word, '/'))
		return error_set(e, ERROR_USAGE, "--wrap: %s: %s", word, strerror(errno));
	while (wrappers[n].name && strcmp(word, wrappers[n].name) != 0)
		n++;
	if (wrappers[n].name)
		return error_set(e, ERROR_USAGE,
				 "--wrap: wrapper '%s' is not installed: there is no libtau-%s.so "
				 "beside tau-record or in ../lib/tau from there",
				 word, word);
	known = mem_alloc(n * sizeof(*known));
	for (size_t i = 0; i < n; i++)
		known[i] = wrappers[i].name;
	near = choice_near(word, known, n);
	error_set(e, ERROR_USAGE, "--wrap: unknown wrapper '%s'%s (see tau-record --list)",
		  word, near);
	free(near);
	free(known);
	return e->code;
}

/* Does the first word have a sign, so that the list changes what the program gets by itself? */
static int list_signed(const char *list)
{
	return list && strchr("+-", list[strspn(list, ",")]) && list[strspn(list, ",")];
}

#define VERSIONS "TAU_WRAPPERS_" /* names of versions of what wrappers call begin so: record/libtau.map */

static int begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

char *wrappers_version(void)
{
	char path[PATH_MAX], *version = NULL;
	struct names defined = {0};
	struct elf_dynamic d;

	if (!library_find("", path) || elf_dynamic_open(path, &d) < 0)
		return NULL;
	elf_dynamic_versions(&d, &defined);
	elf_dynamic_close(&d);
	for (size_t i = 0; i < defined.name_n; i++)
		if (begins(defined.name[i], VERSIONS)) {
			free(version);
			version = mem_string(defined.name[i]);
		}
	names_release(&defined);
	return version;
}

/* What a wrapper needs of the recorder, and the recorder does not have: a version or a function, to be freed; NULL: nothing. */
static char *wrapper_misses(const struct elf_dynamic *wrapper, const struct elf_dynamic *recorder)
{
	struct names has = {0}, needs = {0}, own = {0}, calls = {0};
	char *missing = NULL;

	elf_dynamic_versions(recorder, &has);
	elf_dynamic_versions_needed(wrapper, "libtau.so", &needs);
	elf_dynamic_functions(wrapper, &own);
	elf_dynamic_needs(wrapper, &calls);
	for (size_t i = 0; i < own.name_n; i++)
		if (begins(own.name[i], WRAPPER_MADE_FOR)) {
			const char *made_for = own.name[i] + strlen(WRAPPER_MADE_FOR);

			names_add(&needs, made_for, strlen(made_for));
		}
	for (size_t i = 0; i < needs.name_n && !missing; i++)
		if (names_find(&has, needs.name[i], needs.length[i]) < 0)
			missing = mem_string(needs.name[i]);
	for (size_t i = 0; i < calls.name_n && !missing; i++)
		if ((begins(calls.name[i], "tau_") || begins(calls.name[i], "Tau_")) &&
		    !elf_dynamic_defines(recorder, calls.name[i]))
			missing = mem_printf("%s()", calls.name[i]);
	names_release(&has);
	names_release(&needs);
	names_release(&own);
	names_release(&calls);
	return missing;
}

/* The loader ends a program if a function of a wrapper is missing. A wrapper that cannot be read is left to it. */
static int wrapper_fits_recorder(const char *path, struct error *e)
{
	struct elf_dynamic wrapper, recorder;
	char own[PATH_MAX], *missing = NULL;

	if (!library_find("", own) || elf_dynamic_open(path, &wrapper) < 0)
		return 0;
	if (!elf_dynamic_open(own, &recorder)) {
		missing = wrapper_misses(&wrapper, &recorder);
		elf_dynamic_close(&recorder);
	}
	elf_dynamic_close(&wrapper);
	if (missing)
		error_set(e, ERROR_USAGE,
			  "--wrap: %s: it was made for another version of the recorder: %s does "
			  "not have %s. Make it again; tau-wrapper(7) describes how",
			  path, own, missing);
	free(missing);
	return e->code;
}

int wrappers_check(const char *list, struct error *e)
{
	const char *at = list;
	char word[PATH_MAX];
	int sign = list_signed(list);

	while (wrap_word(&at, word)) {
		if (list_signed(word) != sign)
			return error_set(e, ERROR_USAGE,
					 "--wrap: '%s': all names have a sign, + or -, or none has",
					 word);
		if ((sign || strcmp(word, "none") != 0) && !word_known(word + sign))
			return no_wrapper(word + sign, e);
		if (strchr(word, '/') && wrapper_fits_recorder(word + sign, e))
			return e->code;
	}
	return 0;
}

/* Does the program's file contain the text? */
static int file_contains(const char *path, const char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			found = memmem(p, (size_t)st.st_size, text, strlen(text)) != NULL;
			munmap(p, (size_t)st.st_size);
		}
	}
	close(fd);
	return found;
}

static int wrapper_marked(const struct wrapper *w, const struct target *t)
{
	for (const char *const *mark = w->marks; *mark; mark++)
		if (file_contains(t->elf, *mark))
			return 1;
	return 0;
}

int wrappers_openmp(const char *level, struct error *e)
{
	static const char *const levels[] = {"parallel", "constructs", "all"};
	static const char *const numbers[] = {"1", "2", "3"};
	size_t i;

	if (level && choice_get("--openmp", level, levels, 3, &i, e) < 0)
		return e->code;
	if (level)
		setenv("TAU_RECORD_OPENMP", numbers[i], 1);
	return 0;
}

/* Of the job that this process is in: is it the launcher of such programs? */
static int launcher_fits(const struct wrapper *w)
{
	if (w->mpi == MPI_ABI_MPICH || launched_mpich())
		return w->mpi == MPI_ABI_MPICH && launched_mpich();
	return getenv("OMPI_COMM_WORLD_RANK") || getenv("PMIX_RANK");
}

/*
 * A process of a parallel job that links no library of it is a script that starts a program which does,
 * or loads one while it runs, as Python does.
 */
static int wrapper_launched(const struct wrapper *w, const struct target *t)
{
	if (!w->launched || !launcher_fits(w))
		return 0;
	for (const struct wrapper *other = wrappers; other->name; other++)
		if (other->launched && wrapper_fits(other, t))
			return 0;
	return 1;
}

/* Does a name in the list select this wrapper? */
static int wrapper_named(const struct wrapper *w, const struct target *t, const char *list)
{
	for (const struct wrapper *o = wrappers; o->name; o++)
		if (wrapper_listed(o->name, list) && wrapper_selected(o, t) == w)
			return 1;
	return 0;
}

static int wrapper_chosen(const struct wrapper *w, const struct target *t, const char *list)
{
	if (wrapper_foreign(w, t))
		return 0;
	if (list)
		return wrapper_named(w, t, list);
	return t->known && (wrapper_fits(w, t) || wrapper_marked(w, t) || wrapper_launched(w, t));
}

/* list = list,name; NULL is an empty list. */
static void list_add(char **list, const char *name)
{
	char *longer = *list ? mem_printf("%s,%s", *list, name) : mem_string(name);

	free(*list);
	*list = longer;
}

char *wrappers_resolve(const struct target *t, const char *list)
{
	const char *at = list;
	char word[PATH_MAX], *all = NULL;

	if (!list || !list_signed(list))
		return list ? mem_string(list) : NULL;
	for (const struct wrapper *w = wrappers; w->name; w++) {
		snprintf(word, sizeof(word), "-%s", w->name);
		if (wrapper_chosen(w, t, NULL) && !wrapper_listed(word, list))
			list_add(&all, w->name);
	}
	while (wrap_word(&at, word))
		if (*word == '+' && !wrapper_listed(word + 1, all))
			list_add(&all, word + 1);
	return all ? all : mem_string("none");
}

void wrappers_list(const struct target *t, const char *list)
{
	char path[PATH_MAX];

	for (const struct wrapper *w = wrappers; w->name; w++)
		printf("%-9s %-13s %s\n", w->name,
		       !library_find(w->name, path)  ? "not installed"
		       : !t                          ? "ready"
		       : wrapper_chosen(w, t, list) ? "used"
						    : "not used",
		       w->about);
}

const char *wrappers_sanitizer(const struct target *t)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "liblsan.so"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (needs(t, names[i]))
			return names[i];
	return NULL;
}

/*
 * A program with the address sanitizer does not start after a preloaded library without an option. The thread sanitizer does not
 * see the recorder's locks, and reports what it copies under them as races.
 */
void wrappers_sanitizer_allow(const struct target *t, int memory)
{
	static const char *const settings[][3] = {
		{"ASAN_OPTIONS", "verify_asan_link_order", "0"},
		{"TSAN_OPTIONS", "ignore_noninstrumented_modules", "1"},
	};
	const char *sanitizer = wrappers_sanitizer(t);

	if (!sanitizer)
		return;
	if (memory)
		message_print("tau-record", "%s: memory is not recorded: %s has its own allocator",
			      t->path, sanitizer);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const char *options = getenv(settings[i][0]);

		if (!options || !strstr(options, settings[i][1]))
			setenv(settings[i][0],
			       mem_printf("%s%s%s=%s", options ? options : "",
					  options && *options ? ":" : "", settings[i][1],
					  settings[i][2]),
			       1);
	}
}

/* The path of a wrapper that the program can have. */
static int wrapper_find(const char *name, const struct target *t, char out[PATH_MAX])
{
	const struct wrapper *row = wrapper_row(name), *w = wrapper_selected(row, t);

	return (strcmp(name, "memory") != 0 || !wrappers_sanitizer(t)) && !row == !w &&
	       library_find(w ? w->name : name, out);
}

/* Has the list a wrapper of any MPI? */
static int list_has_mpi(const char *list)
{
	for (const struct wrapper *w = wrappers; w->name; w++)
		if (w->mpi && wrapper_listed(w->name, list))
			return 1;
	return 0;
}

void wrappers_mpi_check(const struct target *t, const char *list)
{
	const struct wrapper *w = wrapper_of_mpi(t->mpi.abi);
	char path[PATH_MAX];

	if (!t->mpi.abi || (list && !list_has_mpi(list)) || !job_speaks())
		return;
	if (!w)
		message_print("tau-record",
			      "%s: its MPI, %s, is of %s, which has no wrapper; MPI is not "
			      "recorded",
			      t->path, t->mpi.path, t->mpi.name);
	else if (!library_find(w->name, path))
		message_print("tau-record",
			      "%s: its MPI, %s, is of %s, whose wrapper %s is not installed; "
			      "MPI is not recorded",
			      t->path, t->mpi.path, t->mpi.name, w->name);
}

int wrappers_parallel(const struct target *t)
{
	for (const struct wrapper *w = wrappers; w->name; w++)
		if (w->launched && wrapper_fits(w, t))
			return 1;
	return t->mpi.abi != MPI_ABI_NONE;
}

/* text = text:path */
static void text_add(char **text, const char *path)
{
	char *longer = *text ? mem_printf("%s:%s", *text, path) : mem_string(path);

	free(*text);
	*text = longer;
}

static void path_add(char **text, const struct target *t, const char *path)
{
	char *name = loader_name(t, path);

	text_add(text, name);
	free(name);
}

static void other_tool(const char *variable, const char *set, const char *name)
{
	message_print("tau-record", "%s is %s already; %s is not recorded", variable, set, name);
}

/* Does the program itself define this for its libraries? */
static int defines(const char *path, const char *symbol)
{
	struct elf_dynamic d;
	int is;

	if (elf_dynamic_open(path, &d) < 0)
		return 0;
	is = elf_dynamic_defines(&d, symbol);
	elf_dynamic_close(&d);
	return is;
}

/* A wrapper is to be preloaded; a runtime that looks for its tool finds it, unless the user has named another. */
static void wrapper_preload(char **text, const struct target *t, const char *name, const char *path)
{
	const char *tool = getenv("OMP_TOOL_LIBRARIES");
	const struct wrapper *w = wrapper_row(name);

	if (strchr(name, '/'))
		text_add(text, path);	/* of its own folder, without a stand-in */
	else
		path_add(text, t, path);
	if (!strcmp(name, "openmp") && tool && *tool && needs(t, "libomp"))
		other_tool("OMP_TOOL_LIBRARIES", tool, "OpenMP of LLVM");
	if (!strcmp(name, "openmp") && needs(t, "libomp") && defines(t->elf, "ompt_start_tool") &&
	    job_speaks())
		message_print("tau-record",
			      "%s: the program is its own tool of OpenMP (ompt_start_tool); "
			      "OpenMP of LLVM is not recorded",
			      t->path);
	for (size_t i = 0; w && w->finders[i].variable; i++) {
		const char *variable = w->finders[i].variable, *set = getenv(variable);

		if (set && *set && strcmp(set, path) != 0)
			other_tool(variable, set, w->finders[i].source);
		else
			setenv(variable, path, 1);
	}
}

void wrappers_show(void)
{
	for (const struct wrapper *w = wrappers; w->name; w++)
		for (size_t i = 0; w->finders[i].variable; i++)
			if (getenv(w->finders[i].variable))
				printf("%s=%s\n", w->finders[i].variable,
				       getenv(w->finders[i].variable));
}

/* By the list, or by what it links. */
int wrapper_recorded(const char *name, const struct target *t, const char *list)
{
	const struct wrapper *w = wrapper_selected(wrapper_row(name), t);

	return w && wrapper_chosen(w, t, list);
}

static void wrapper_add(char **text, const struct target *t, const char *name)
{
	char path[PATH_MAX];

	if (wrapper_find(name, t, path))
		wrapper_preload(text, t, name, path);
}

char *wrappers_preload(const struct target *t, const char *list, const char *also)
{
	const char *before = getenv("LD_PRELOAD"), *at = list;
	char path[PATH_MAX], word[PATH_MAX], *text = NULL;

	if (!library_find("", path))
		return NULL;
	/* It has functions of the recorder, so it comes first. */
	if (wrapper_listed(CALLSITE, list) || wrapper_listed(CALLSITE, also))
		wrapper_add(&text, t, CALLSITE);
	path_add(&text, t, path);
	while (wrap_word(&at, word))
		if (strcmp(word, CALLSITE) != 0)
			wrapper_add(&text, t, word);
	for (const struct wrapper *w = wrappers; !list && w->name; w++)
		if (wrapper_chosen(w, t, list))
			wrapper_add(&text, t, w->name);
	for (at = also; wrap_word(&at, word);)
		if (strcmp(word, CALLSITE) != 0 && !wrapper_recorded(word, t, list))
			wrapper_add(&text, t, word);
	if (before && *before)
		text_add(&text, before);
	return text;
}
