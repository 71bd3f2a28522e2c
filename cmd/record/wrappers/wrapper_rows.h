/* wrapper_rows.h: the table of wrappers: what selects each, and how tau-record --doctor tests it. A new wrapper is one row. */
#ifndef WRAPPER_ROWS_H
#define WRAPPER_ROWS_H

#include "cmd/record/launch/mpi_abi.h"

struct wrapper {
	const char *name;		/* libtau-NAME.so; NULL ends the table */
	const char *about;		/* what it records, for --list and --doctor */
	const char *libraries[6];	/* begins of sonames: a program that links one gets the wrapper */
	/* A program whose MPI has this ABI gets it, by the name of any wrapper for MPI; one of another MPI never. */
	enum mpi_abi mpi;
	/* The processes of a parallel job get it, too, if they link none of the libraries of such wrappers: scripts and Python. */
	int launched;
	const char *marks[4];		/* texts in the program's file that select it, too */
	struct {
		const char *variable;	/* by which a runtime finds its tool: tau-record sets it to the wrapper's file */
		const char *source;	/* which runtime, for the message that the user has set it to another tool */
	} finders[4];
	/* The smallest test that records something: one of these; without them --doctor omits the wrapper. */
	const char *entry;	/* a function that the wrapper has: the test looks for it, and enters a region "doctor" */
	int (*probe)(void);	/* doctor_probes.h */
	const char *shows;	/* begin of the name of a timer or counter that this trace has */
	const char *install;	/* packages of Debian with the library that is wrapped; NULL: none is necessary */
};
extern const struct wrapper wrappers[];

#endif
