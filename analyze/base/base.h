/*
 * base.h: what every offline module uses: errors, memory allocation that does not return on
 * failure, growing arrays and interned strings.
 */
#ifndef BASE_H
#define BASE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Errors. A function that can fail takes a struct error and returns a negative enum error_code after
 * writing one sentence "file: where: what" into it, safe on a terminal; 0 or a positive number is success. Only cmd/ prints.
 * The codes are also the exit codes of every program (negated).
 */
enum error_code {
	ERROR_USAGE = -2,	/* the command line cannot be understood */
	ERROR_INPUT = -3,	/* the data is not valid (damaged, another format, a bad window) */
	ERROR_SYSTEM = -4,	/* the system refused (missing file, permission, full disk) */
};

struct error {
	int code;		/* 0 or an enum error_code */
	char text[1024];
};

int error_set(struct error *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Memory. None of these returns NULL: out of memory ends the program with one line (exit code 4). */
void *mem_alloc(size_t size);			/* zeroed */
void *mem_resize(void *p, size_t count, size_t size);	/* count * size, checked for overflow */
/* a copy; p may be NULL if count is 0 */
void *mem_copy(const void *p, size_t count, size_t size);
char *mem_string(const char *s);		/* copy */
char *text_clean(const char *s);		/* copy that is safe on a terminal (text.h) */
char *text_trim(char *text);			/* without the blanks and ends of lines around it, in place */
char *mem_vprintf(const char *format, va_list args);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The texts, up to a NULL, one after the other: for names that are made often. */
char *mem_join(const char *first, ...) __attribute__((sentinel));
/* The ending of the word that follows the number n: "" for 1, otherwise "s". */
static inline const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/*
 * Growing arrays: three fields `T *v; size_t v_n, v_cap;` grow by doubling. array_add(x, v) appends
 * one zeroed element and yields its address, which is valid until the next call. The owner frees v.
 */
#define array_add(s, v) \
	(((s)->v##_n == (s)->v##_cap ? (void)((s)->v = array_grow((s)->v, &(s)->v##_cap, sizeof(*(s)->v))) \
				     : (void)0), \
	 memset(&(s)->v[(s)->v##_n], 0, sizeof(*(s)->v)), &(s)->v[(s)->v##_n++])
void *array_grow(void *v, size_t *cap, size_t size);

/* For qsort() of doubles: ascending. */
int compare_doubles(const void *a, const void *b);

/* Hash table from strings (byte strings, NULs allowed) to dense numbers 0, 1, 2 ... in order of first use. */
struct names {
	char **name;		/* name[id], NUL terminated, owned by the table */
	size_t name_n, name_cap;
	uint32_t *length;	/* length[id] in bytes */
	uint32_t *slot;		/* id + 1, 0 = empty */
	size_t slots;		/* power of two */
};
uint32_t names_add(struct names *t, const char *s, size_t length);	/* finds or adds */
int64_t names_find(const struct names *t, const char *s, size_t length);	/* id or -1 */
void names_release(struct names *t);

#endif
