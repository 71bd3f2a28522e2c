/* report_locks.h: how many rows the report about locks lists, for commands that suggest it. */
#ifndef REPORT_LOCKS_H
#define REPORT_LOCKS_H

#define LOCKS_LISTED 20 /* without --top */

#endif
