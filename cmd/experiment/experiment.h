/*
 * experiment.h: the description of an experiment: a command with placeholders, its sizes and variants, and how often each is run. It comes
 * from options, from a file, or from both.
 */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "cmd/experiment/experiment_types.h"

void experiment_release(struct experiment *x);

/*
 * Sets the part of the experiment that has this key in experiment files. what: where the value is from, for messages.
 * ERROR_USAGE: there is no such key, or the value is wrong.
 */
int experiment_set(struct experiment *x, const char *what, const char *key, const char *value, struct error *e);
/* "old=./a": adds a variant; one of the same name is replaced. */
int experiment_variant(struct experiment *x, const char *what, const char *name, const char *value, struct error *e);

/* All is set: fills in what was not, and checks that the parts fit together. ERROR_USAGE: they do not. */
int experiment_complete(struct experiment *x, struct error *e);

/* The number of words of the command. */
size_t experiment_words(const struct experiment *x);

/* Is the text the begin of an experiment file? */
int experiment_is_file(const char *path);
int experiment_read(struct experiment *x, const char *path, struct error *e);
/* Appears whole or not at all. id: with the key that names this experiment in a database. */
int experiment_write(const struct experiment *x, const char *path, int id, struct error *e);

#endif
