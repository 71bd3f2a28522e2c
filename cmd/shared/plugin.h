/* plugin.h: loads a plug-in (tau_plugin.h), and gives it looks, profiles and events. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "analyze/profile/profile.h"
#include "cmd/shared/tau_plugin.h"

struct plugin {
	void *library; /* NULL: none is loaded */
	const struct tau_plugin *table;
	void *state;
};

/* The function that a program calls: a plug-in without it would do nothing. */
enum plugin_use { PLUGIN_LOOKS, PLUGIN_EVENTS };

/*
 * text: FILE, or FILE:ARGUMENT. ERROR_INPUT: it is no plug-in, lacks the function of `use`, or does not begin. From then on a crash
 * inside of it is reported on standard error, and ends the program by its signal.
 */
int plugin_open(struct plugin *p, const char *text, enum plugin_use use, struct error *e);
/* Regions of a profile, by its first metric, without call paths. */
void plugin_profile(const struct plugin *p, const char *run, const struct profile *of);
void plugin_look(const struct plugin *p, const struct tau_plugin_look *look);
void plugin_event(const struct plugin *p, const struct tau_plugin_event *event);
/* Its exit status, 0 if none is loaded. */
int plugin_close(struct plugin *p);

#endif
