/*
 * files.h: the files that MPI opened, and what MPI's reads and writes moved.
 *
 * A call is recorded when its bytes are known, which are those of its status: a blocking one before it returns, one with a
 * request when that completes, one in two parts (begin, end) by the second.
 */
#ifndef TAU_WRAP_MPI_FILES_H
#define TAU_WRAP_MPI_FILES_H

#include "request.h"

/* A direction comes with the function of the row that names it. */
#define FILE_READ  wrap_f, TAU_IO_MPI_READ
#define FILE_WRITE wrap_f, TAU_IO_MPI_WRITE

/* Where a call begins: at an offset in the file's view, or at one of these. */
enum { FILE_HERE = -1 /* the file's position */, FILE_SOMEWHERE = -2 /* the shared position, which takes a lock to read */ };

/* MPI_File_open() has returned ret; MPI_File_close() is called. */
void file_opened(int ret, const char *name, int mode, const MPI_File *fh);
void file_closing(const MPI_File *fh);

/* file: NULL: it is none that was seen to open. */
struct file_call {
	const struct wrap_function *function;
	struct file *file;
	unsigned io;
	int64_t at;
	const MPI_Status *status;
	MPI_Status own;
};
void file_before(struct file_call *h, const struct wrap_function *f, unsigned io, MPI_File fh, MPI_Offset at, MPI_Status **status);
void file_after(struct file_call *h, int good);

/* With a request. */
struct file_start_call {
	struct request r;
	const MPI_Request *request;
};
void file_start_before(struct file_start_call *h, const struct wrap_function *f, unsigned io, MPI_File fh, MPI_Offset at, MPI_Count count,
		       MPI_Datatype type, const MPI_Request *request);
void file_start_after(struct file_start_call *h, int good);
/* Such a request has completed. */
void file_completed(const struct request *r, uint64_t bytes);

/* In two parts; MPI allows one at a time for each file. */
struct file_begin_call {
	MPI_File fh;
	unsigned io;
	int64_t at;
};
void file_begin_before(struct file_begin_call *h, const struct wrap_function *f, unsigned io, MPI_File fh, MPI_Offset at);
void file_begin_after(struct file_begin_call *h, int good);
struct file_end_call {
	struct file_call c;
};
void file_end_before(struct file_end_call *h, MPI_File fh, MPI_Status **status);
void file_end_after(struct file_end_call *h, int good);

#endif
