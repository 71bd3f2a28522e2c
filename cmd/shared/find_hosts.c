/* find_hosts.c: reads names of hosts from the metadata of processes. */
#include "cmd/shared/find_hosts.h"

#include <stdio.h>
#include <string.h>

#include "analyze/trace/trace.h"
#include "convert/formats.h"

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

/* Are they one host: n1 and n1.cluster? */
static int same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return !strcmp(a, b) || (n == m && !strncmp(a, b, n) && (!a[n] || !b[m]));
}

static void host_add(struct host_list *l, const char *name, const char *path)
{
	char *one;

	for (size_t i = 0; i < l->place_n; i++)
		if (same_host(l->place[i].host, name))
			return;
	if (!*name || name[strspn(name, name_characters)] || *name == '-')
		return;
	one = mem_string(name);
	host_list_names(l, one, path);
	free(one);
}

static void process_add(struct host_list *l, const struct trace_process *p, const char *path,
			struct names *seen)
{
	for (size_t i = 0; i < p->meta_n; i++) {
		const struct trace_attribute *a = &p->meta[i];
		struct names slurm = {0};

		if (!strcmp(a->name, "env SLURM_JOB_NODELIST") &&
		    names_add(seen, a->value, strlen(a->value)) == seen->name_n - 1)
			find_hosts_slurm(a->value, &slurm);
		for (size_t k = 0; k < slurm.name_n; k++)
			host_add(l, slurm.name[k], path);
		names_release(&slurm);
		if (!strcmp(a->name, "env PBS_NODEFILE")) {
			struct host_list file = {0};
			struct error none = {0};

			host_list_file(&file, a->value, path, &none);
			for (size_t k = 0; k < file.place_n; k++)
				host_add(l, file.place[k].host, path);
			host_list_release(&file);
		}
	}
}

int find_hosts(const char *path, const char *shown, struct host_list *list, struct error *e)
{
	struct names seen = {0};
	struct trace *t;
	int code = trace_open(path, &t, e);

	if (code)
		return code;
	for (size_t i = 0; i < t->process_n; i++)
		if (t->process[i].host)
			host_add(list, t->process[i].host, shown);
	for (size_t i = 0; i < t->process_n; i++)
		process_add(list, &t->process[i], shown, &seen);
	names_release(&seen);
	trace_free(t);
	return 0;
}
