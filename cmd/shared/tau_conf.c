/* tau_conf.c: reads the configuration file of TAU. */
#include "cmd/shared/tau_conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/io/text_file.h"

#define BYTES_MOST 65536
#define BLANKS " \t\r\n\v\f"

/* Without blanks around it; to be freed. */
static char *trimmed(const char *begin, size_t n)
{
	while (n && strchr(BLANKS, *begin)) {
		begin++;
		n--;
	}
	while (n && strchr(BLANKS, begin[n - 1]))
		n--;
	return mem_printf("%.*s", (int)n, begin);
}

static void line_read(struct tau_conf *c, const char *line)
{
	size_t n = strcspn(line, "#"), name = strcspn(line, "=");

	if (name < n)
		*array_add(c, v) = (struct tau_setting){trimmed(line, name),
							trimmed(line + name + 1, n - name - 1)};
}

void tau_conf_read(struct tau_conf *c, const char *path)
{
	size_t bytes = 0, cap = 0;
	char *line = NULL;
	ssize_t n;
	FILE *f;

	*c = (struct tau_conf){0};
	path = path && *path ? path : "tau.conf";
	f = text_fopen(path, NULL);
	if (!f)
		return;
	c->path = mem_string(path);
	while (bytes < BYTES_MOST && (n = getline(&line, &cap, f)) > 0) {
		bytes += (size_t)n;
		line_read(c, line);
	}
	free(line);
	fclose(f);
}

void tau_conf_release(struct tau_conf *c)
{
	for (size_t i = 0; i < c->v_n; i++) {
		free(c->v[i].name);
		free(c->v[i].value);
	}
	free(c->v);
	free(c->path);
}

const char *tau_conf_get(const struct tau_conf *c, const char *name)
{
	for (size_t i = 0; i < c->v_n; i++)
		if (!strcmp(c->v[i].name, name))
			return c->v[i].value;
	return NULL;
}
