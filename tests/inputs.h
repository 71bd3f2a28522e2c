/* inputs.h: readers of a path in one call, for tests that read each path once. */
#ifndef TEST_INPUTS_H
#define TEST_INPUTS_H

#include "convert/formats.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_profile.h"

static inline int path_profile_read(const char *path, const struct profile_format **format,
				    struct profile **out, struct error *e)
{
	struct input *in = input_new(path);
	int code = profile_read(in, format, out, e);

	input_free(in);
	return code;
}

static inline int path_tau_profile_read(const char *path, struct profile **out, struct error *e)
{
	struct input *in = input_new(path);
	int code = tau_profile_read(in, out, e);

	input_free(in);
	return code;
}

static inline int path_tau_profile_is(const char *path)
{
	struct input *in = input_new(path);
	int is = tau_profile_is(in);

	input_free(in);
	return is;
}

static inline int path_profile_is(const char *path)
{
	struct input *in = input_new(path);
	int is = profile_is(in);

	input_free(in);
	return is;
}

static inline int path_otf2_open(const char *path, struct trace **out, struct error *e)
{
	struct input *in = input_new(path);
	int code = otf2_open(in, NULL, out, e);

	input_free(in);
	return code;
}

#endif
