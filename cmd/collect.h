/* collect.h: live files that were kept elsewhere, brought into their run. */
#ifndef COLLECT_H
#define COLLECT_H

/*
 * Moves into the run the live files in `live_directory` that belong to streams of the run, and whose processes are no longer
 * there. Files that cannot be moved stay where they are; returns how many that are.
 */
int live_collect(const char *run, const char *live_directory);

#endif
