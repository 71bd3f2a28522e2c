/*
 * ours.h: descriptions and properties in archives that write.c makes, which are read again: OTF2
 * itself cannot store groups of regions, types of objects, and numbers of threads and processes.
 */
#ifndef ARCHIVE_OURS_H
#define ARCHIVE_OURS_H

#define ARCHIVE_CREATOR "tau-convert"      /* the creator of such an archive */
#define ARCHIVE_OURS "tau:"		/* begins each description */
#define ARCHIVE_NAMELESS "UNRESOLVED "	/* begins the name of a function that is known by its module only */

#define ARCHIVE_MPI_IO "MPI-IO"	/* the identification of that paradigm, as Score-P writes it */

/* References of attributes: three of a sample; of an enter that is no call, as the region was open before. */
enum {
	ARCHIVE_ATTRIBUTE_NS = 0, ARCHIVE_ATTRIBUTE_INSIDE = 1, ARCHIVE_ATTRIBUTE_MISSED = 2, ARCHIVE_ATTRIBUTE_OPEN = 3,
};

#endif
