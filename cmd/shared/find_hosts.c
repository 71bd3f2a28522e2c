/* find_hosts.c: reads names of hosts from the metadata of processes. */
#include "cmd/shared/find_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/trace.h"
#include "convert/native/native.h"

#define HOSTS_MOST 65536
#define DEPTH_MOST 8 /* pairs of brackets in a name */

static const char name_characters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* ---- lists of Slurm ---- */

static int expand(const char *before, size_t before_n, const char *rest, size_t rest_n, int depth,
		  struct names *out);

/* One range of a bracket, "7" or "01-12": each number with what is before and after the bracket. */
static int range_expand(const char *before, size_t before_n, const char *range, size_t range_n,
			const char *rest, size_t rest_n, int depth, struct names *out)
{
	unsigned long first, last;
	int width = (int)strspn(range, "0123456789"), code = 0;
	char *end;

	if (!width || width > 9)
		return -1;
	first = last = strtoul(range, &end, 10);
	if (end < range + range_n && *end == '-')
		last = strtoul(end + 1, &end, 10);
	if (end != range + range_n || last < first || last - first >= HOSTS_MOST)
		return -1;
	for (unsigned long i = first; i <= last && !code; i++) {
		char *text = mem_printf("%.*s%0*lu", (int)before_n, before, width, i);

		code = expand(text, strlen(text), rest, rest_n, depth + 1, out);
		free(text);
	}
	return code;
}

/* `rest`, in which there may be brackets, after `before`. */
static int expand(const char *before, size_t before_n, const char *rest, size_t rest_n, int depth,
		  struct names *out)
{
	const char *open = memchr(rest, '[', rest_n), *close, *end = rest + rest_n;
	char *text;
	int code = 0;

	if (depth > DEPTH_MOST || out->name_n >= HOSTS_MOST)
		return -1;
	text = mem_printf("%.*s%.*s", (int)before_n, before,
			  (int)((open ? open : end) - rest), rest);
	if (!open) {
		if (*text && !text[strspn(text, name_characters)] && *text != '-')
			names_add(out, text, strlen(text));
		free(text);
		return 0;
	}
	close = memchr(open, ']', (size_t)(end - open));
	if (!close)
		code = -1;
	for (const char *at = open + 1; !code && at < close;) {
		size_t n = strcspn(at, ",]");

		code = range_expand(text, strlen(text), at, n, close + 1,
				    (size_t)(end - close - 1), depth, out);
		at += n + 1;
	}
	free(text);
	return code;
}

int find_hosts_slurm(const char *text, struct names *out)
{
	while (*text) {
		size_t n = 0;

		/* Up to a comma outside of brackets. */
		for (int inside = 0; text[n] && (inside || text[n] != ','); n++)
			inside = text[n] == '[' ? 1 : text[n] == ']' ? 0 : inside;
		if (expand("", 0, text, n, 0, out))
			return -1;
		text += n + (text[n] == ',');
	}
	return 0;
}

/* ---- a run ---- */

/* The hosts that are found, and what their names begin with, so that each is compared with few. */
struct found_hosts {
	struct host_list *list;
	const char *path;
	struct names whole;	/* names as they are: n1, n2.cluster */
	struct names first;	/* what is before the first dot of those that have one: n2 */
	struct names seen;	/* texts of lists that were read */
	size_t bad;		/* lists that could not be read */
};

/* n1 and n1.cluster are one host; n1.cluster and n1.other are two. */
static int is_known(const struct found_hosts *f, const char *name)
{
	size_t n = strcspn(name, ".");

	return names_find(&f->whole, name, strlen(name)) >= 0 ||
	       names_find(name[n] ? &f->whole : &f->first, name, n) >= 0;
}

static void host_add(struct found_hosts *f, const char *name)
{
	size_t n = strcspn(name, ".");

	if (!*name || name[strspn(name, name_characters)] || *name == '-' || is_known(f, name))
		return;
	names_add(&f->whole, name, strlen(name));
	if (name[n])
		names_add(&f->first, name, n);
	host_list_names(f->list, name, f->path);
}

static void slurm_add(struct found_hosts *f, const char *text)
{
	struct names slurm = {0};

	/* A list that is wrong somewhere, or too long, names none. */
	if (find_hosts_slurm(text, &slurm) || f->whole.name_n + slurm.name_n > HOSTS_MOST)
		f->bad++;
	else
		for (size_t k = 0; k < slurm.name_n; k++)
			host_add(f, slurm.name[k]);
	names_release(&slurm);
}

/*
 * The file of hosts that PBS has given to the job. A run may come from anywhere, so the file that
 * it names is read only if the caller's own environment, in the same job, names it, too.
 */
static void pbs_add(struct found_hosts *f, const char *file)
{
	const char *own = getenv("PBS_NODEFILE");
	struct host_list hosts = {0};
	struct error none = {0};

	if (!own || strcmp(own, file) != 0)
		return;
	host_list_file(&hosts, file, f->path, &none);
	for (size_t k = 0; k < hosts.place_n; k++)
		host_add(f, hosts.place[k].host);
	host_list_release(&hosts);
}

static void process_add(struct found_hosts *f, const struct trace_process *p)
{
	for (size_t i = 0; i < p->meta_n; i++) {
		const struct trace_attribute *a = &p->meta[i];
		int slurm = !strcmp(a->name, "env SLURM_JOB_NODELIST");

		if (!slurm && strcmp(a->name, "env PBS_NODEFILE") != 0)
			continue;
		if (names_find(&f->seen, a->value, strlen(a->value)) >= 0)
			continue;
		names_add(&f->seen, a->value, strlen(a->value));
		if (slurm)
			slurm_add(f, a->value);
		else
			pbs_add(f, a->value);
	}
}

int find_hosts(const char *path, const char *shown, struct host_list *list, struct error *e)
{
	struct found_hosts f = {.list = list, .path = shown};
	struct trace *t;
	int code = native_open(path, &t, e);

	if (code)
		return code;
	for (size_t i = 0; i < t->process_n; i++)
		if (t->process[i].host)
			host_add(&f, t->process[i].host);
	for (size_t i = 0; i < t->process_n; i++)
		process_add(&f, &t->process[i]);
	if (f.bad)
		code = error_set(e, ERROR_INPUT,
				 "%s: its list of hosts (SLURM_JOB_NODELIST) is not one, or has "
				 "more than %d hosts; name the hosts: --hosts HOST,...",
				 path, HOSTS_MOST);
	names_release(&f.whole);
	names_release(&f.first);
	names_release(&f.seen);
	trace_free(t);
	return code;
}
