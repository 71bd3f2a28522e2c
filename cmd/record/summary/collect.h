/* collect.h: live files that were kept elsewhere, brought into their run. */
#ifndef COLLECT_H
#define COLLECT_H

/*
 * Moves the live files that the run has links to, and whose processes are no longer there, into the run. Files that cannot
 * be moved stay where they are; returns how many that are. live_dir: where live files were kept; links that lead elsewhere are none
 * of the recorder's.
 */
int live_collect(const char *run, const char *live_dir);

/* Can live files be kept in this directory? 0: no, with errno. */
int live_writable(const char *path);

#endif
