/* place.c: finds the program in a command with a launcher. */
#include "cmd/experiment/place.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/shared/option_use.h"
#include "cmd/shared/shell_word.h"
#include "convert/io/paths.h"
#include "convert/launchers.h"

/*
 * Options of launchers, without their dashes, that are followed by one word, or by two: of Open MPI
 * 4 and 5, Hydra, srun, aprun, jsrun and Flux. A value that an option has after '=' is a part of
 * its word. After an option that is not here, words are skipped that are no programs.
 */
static const char with_one[] = "A C D G H J L N X a am app b bind-to c chdir comm conf constraint "
			       "cpu-bind cpu-set cpus-per-proc cpus-per-task "
			       "d display distribution dvm e env-all-of error envlist export f g "
			       "genvlist gpus h-options hostfile host hosts i iface "
			       "input job-name launcher launcher-exec m machinefile map-by mem "
			       "mem-per-cpu mpi n nodelist nodes np npernode "
			       "npersocket ntasks ntasks-per-node o output output-filename p "
			       "partition path personality pmi-port ppn prefix r "
			       "rank-by rankfile report-events report-pid rf rmk runtime-options "
			       "stdin t threads-per-core time timeout "
			       "tune u w wd wdir with-ft x xrs";
static const char with_two[] = "env genv gmca mca omca pmixmca prtemca";
/* Programs that start the program that follows their options. */
static const char starters[] =
	"chrt env flux ionice nice nohup numactl setarch setsid stdbuf taskset time timeout";

static int is_assignment(const char *word)
{
	size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && word[n] == '=' && (*word < '0' || *word > '9');
}

static int is_file(const char *path)
{
	struct stat s;

	return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

char *place_find(const char *word)
{
	const char *path = getenv("PATH");
	char *found = NULL;

	if (strchr(word, '/'))
		return is_file(word) ? mem_string(word) : NULL;
	for (const char *s = path ? path : "/usr/bin:/bin"; *s && !found;) {
		size_t n = strcspn(s, ":");

		found = mem_printf("%.*s/%s", (int)n, s, word);
		if (!n || !is_file(found)) {
			free(found);
			found = NULL;
		}
		s += n + (s[n] == ':');
	}
	return found;
}

static int is_program(const char *word)
{
	char *found;
	int is;

	if (strstr(word, "{variant}") || (strchr(word, '/') && strchr(word, '{')))
		return 1;
	found = place_find(word);
	is = found != NULL;
	free(found);
	return is;
}

static int starts_others(const char *word)
{
	const char *file = path_file(word);

	return launcher_is(file) || option_is_word(starters, file);
}

/* How many words an option is, with its value. */
static size_t option_length(const char *word)
{
	const char *name = word + strspn(word, "-");

	if (strchr(name, '='))
		return 1;
	return option_is_word(with_one, name) ? 2 : option_is_word(with_two, name) ? 3 : 1;
}

size_t place_program(const struct shell_words *command, size_t from)
{
	size_t n = command->v_n ? command->v_n - 1 : 0, at = from;
	int after = 0; /* a launcher or starter */

	while (at < n && is_assignment(command->v[at]))
		at++;
	while (at < n) {
		const char *word = command->v[at];

		if (starts_others(word)) {
			after = 1;
			at++;
		} else if (after && !strcmp(word, "--")) {
			at++;
		} else if (after && *word == '-') {
			at += option_length(word);
		} else if (!after || (!is_assignment(word) && is_program(word))) {
			break;
		} else if (strchr(word, '/') && !strchr(word, '=') && !strchr(word, ',')) {
			break; /* a program that is not there */
		} else {
			at++;
		}
	}
	return at < n ? at : n;
}

static int no_program(const struct shell_words *command, struct error *e)
{
	char *text = shell_words_text(command);

	error_set(e, ERROR_USAGE,
		  "no program is found in the command '%s'; write {record} before the program",
		  text);
	free(text);
	return e->code;
}

int place_check(const struct experiment *x, int marked, struct error *e)
{
	size_t n = x->command.v_n - 1, at;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(path_file(x->command.v[i]), "tau-record"))
			return error_set(e, ERROR_USAGE,
					 "remove tau-record from the command: tau-experiment adds "
					 "it, with the options of --record");
	if (marked)
		return 0;
	at = place_program(&x->command, 0);
	if (at == n)
		return no_program(&x->command, e);
	if (!is_program(x->command.v[at]))
		return error_set(e, ERROR_USAGE, "%s: there is no such program%s", x->command.v[at],
				 at ? "; if another word is the program, write {record} before it"
				    : "");
	for (size_t i = 0; i < x->variant_n; i++) {
		struct shell_words words = {0};
		size_t at_variant;
		int code = 0;

		if (!strcmp(x->command.v[at], "{variant}"))
			code = shell_words_split(&words, "--variant", x->variant[i].value, e);
		at_variant = place_program(&words, 0);
		if (code == 0 && words.v_n &&
		    (at_variant + 1 >= words.v_n || !is_program(words.v[at_variant])))
			code = error_set(e, ERROR_USAGE, "variant %s: there is no such program: %s",
					 x->variant[i].name, x->variant[i].value);
		shell_words_release(&words);
		if (code)
			return code;
	}
	return 0;
}

int place_recorder(const struct shell_words *command, const struct shell_words *recorder,
		   struct shell_words *out, struct error *e)
{
	size_t n = command->v_n ? command->v_n - 1 : 0, at = place_program(command, 0);
	int launched = 0;

	if (at == n)
		return no_program(command, e);
	for (size_t i = 0; i < n; i++) {
		launched |= i < at && launcher_is(path_file(command->v[i]));
		if (i == at)
			for (size_t k = 0; k + 1 < recorder->v_n; k++)
				shell_words_add(out, recorder->v[k]);
		shell_words_add(out, command->v[i]);
		/* mpirun -np 1 ./a : -np 3 ./b */
		if (i >= at && launched && !strcmp(command->v[i], ":")) {
			struct shell_words rest = {0};

			shell_words_add(&rest, "mpirun");
			for (size_t k = i + 1; k < n; k++)
				shell_words_add(&rest, command->v[k]);
			at = i + place_program(&rest, 0);
			shell_words_release(&rest);
		}
	}
	return 0;
}
