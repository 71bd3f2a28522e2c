/* db_description.c: --metadata and --tag of an import as attributes of trials. */
#include "cmd/db/db_description.h"

#include <string.h>
#include <unistd.h>

#include "convert/io/blob.h"
#include "convert/io/json_flat.h"
#include "db/meta.h"

static void parse_member(void *to, const char *key, const char *value)
{
	struct description *d = to;

	*array_add(d, v) = (struct profile_attribute){mem_string(key), mem_string(value)};
}

/* All members of the object in a JSON file. */
static int read_file(struct description *d, const char *path, struct error *e)
{
	struct blob b;
	int code = access(path, F_OK)
			   ? error_set(e, ERROR_USAGE,
				       "--metadata: '%s' is neither NAME=VALUE nor a file", path)
			   : blob_read(path, &b, e);

	if (code < 0)
		return code;
	code = json_flat_read(path, (const char *)b.p, b.n, parse_member, d, e);
	blob_release(&b);
	return code;
}

static int read_tags(struct description *d, const struct option_list *tags, struct error *e)
{
	char *text;

	for (size_t i = 0; i < tags->v_n; i++)
		if (!*tags->v[i] || strpbrk(tags->v[i], ", \t\r\n"))
			return error_set(e, ERROR_USAGE,
					 "--tag: '%s' is not a word without commas", tags->v[i]);
	text = db_tags_text("", (char *const *)tags->v, tags->v_n);
	if (tags->v_n)
		parse_member(d, DB_META_TAGS, text);
	free(text);
	return 0;
}

int description_read(struct description *d, const struct option_list *metadata,
		     const struct option_list *tags, struct error *e)
{
	int code = read_tags(d, tags, e);

	for (size_t i = 0; code == 0 && i < metadata->v_n; i++) {
		const char *equals = strchr(metadata->v[i], '=');
		char *key;

		if (!equals) {
			code = read_file(d, metadata->v[i], e);
			continue;
		}
		if (equals == metadata->v[i])
			return error_set(e, ERROR_USAGE, "--metadata: '%s' is not NAME=VALUE",
					 metadata->v[i]);
		key = mem_printf("%.*s", (int)(equals - metadata->v[i]), metadata->v[i]);
		parse_member(d, key, equals + 1);
		free(key);
	}
	return code;
}

void description_add(const struct description *d, struct profile *p)
{
	for (size_t i = 0; i < d->v_n; i++)
		profile_set_meta(p, UINT32_MAX, d->v[i].name, d->v[i].value);
}
