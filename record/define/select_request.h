/*
 * select_request.h: asks tau-record for the selected functions of a module that is in no table: of a program that another program
 * started, or of a library that was loaded later.
 */
#ifndef SELECT_REQUEST_H
#define SELECT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

struct tau_select_header;

/* The path of the table of this number, in the run. Returns path. */
#define SELECT_PATH (3072 + 32)
char *select_path(uint64_t number, char path[SELECT_PATH]);
/* Once per process; `table`: the path of the table from tau-record. */
void select_request_start(const char *table);
/* The number of the module's table. */
uint64_t select_request_number(const char *path, const uint8_t *id, uint64_t id_n);
/* Waits until tau-record has made the table. False: it does not answer, which is reported once. */
bool select_request(uint64_t number, const char *path);

#endif
