/*
 * papi_files.h: moves the files that a library opens out of the range of numbers that the program sees.
 */
#ifndef PAPI_FILES_H
#define PAPI_FILES_H

/* From now on the library's open files get high numbers. */
void papi_files_keep(void *library);
void papi_files_forget(void);

#endif
