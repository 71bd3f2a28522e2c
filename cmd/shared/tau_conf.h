/*
 * tau_conf.h: the configuration file of TAU, which programs here do not obey, but name. TAU reads the file that TAU_CONF names, and
 * otherwise tau.conf of the working directory; what it sets goes before the environment.
 */
#ifndef TAU_CONF_H
#define TAU_CONF_H

#include <stddef.h>

struct tau_conf {
	char *path; /* NULL: there is no such file */
	struct tau_setting {
		char *name, *value;
	} *v; /* the first of a name counts, as in TAU */
	size_t v_n, v_cap;
};

/*
 * path: the value of TAU_CONF; NULL or empty: tau.conf. Lines of the file are NAME=VALUE; the rest
 * from # on is a comment. Other lines are ignored, and so is what follows the first 64 KiB. Release c.
 */
void tau_conf_read(struct tau_conf *c, const char *path);
void tau_conf_release(struct tau_conf *c);
/* The value that the file gives to a variable; NULL: none. */
const char *tau_conf_get(const struct tau_conf *c, const char *name);

#endif
