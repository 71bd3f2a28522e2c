/* db_description.h: the metadata and tags that an import adds to each trial. */
#ifndef DB_DESCRIPTION_H
#define DB_DESCRIPTION_H

#include "analyze/profile/profile.h"
#include "cmd/shared/option.h"

struct description {
	struct profile_attribute *v;
	size_t v_n, v_cap;
};

/*
 * Reads --metadata NAME=VALUE or FILE, and --tag, before anything else is read, so that a mistake costs no time. d is empty before.
 */
int description_read(struct description *d, const struct option_list *metadata,
		     const struct option_list *tags, struct error *e);
void description_add(const struct description *d, struct profile *p);

#endif
