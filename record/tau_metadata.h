/*
 * tau_metadata.h: structured metadata of TAU.h: values, objects and arrays that a program builds, recorded as the JSON text of their
 * whole. The values belong to the program and are never freed, as with TAU. TAU.h includes it.
 */
#ifndef TAU_METADATA_VALUES_H
#define TAU_METADATA_VALUES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tau.h"

/* Compiler hooks would close a timer with the function of this header that starts it. */
#define TAU_INLINE static __inline__ __attribute__((no_instrument_function))

/* text: of a value that has no others inside. Otherwise the n values inside; of an object, with their names. */
typedef struct Tau_metadata_value {
	char *text;
	int n, named;
	char **name;
	struct Tau_metadata_value **value;
} Tau_metadata_value_t;

/* JSON: quotes, backslashes and control characters are escaped. Returns the end; to NULL: counts only. */
TAU_INLINE size_t Tau_json_quoted(char *to, const char *text)
{
	char one[8];
	size_t n = 0;

	if (to)
		to[n] = '"';
	for (n++; *text; text++) {
		unsigned char c = (unsigned char)*text;
		size_t length;

		if (c < ' ')
			__builtin_snprintf(one, sizeof(one), "\\u%04x", c);
		else
			__builtin_snprintf(one, sizeof(one), c == '"' || c == '\\' ? "\\%c" : "%c", c);
		length = strlen(one);
		if (to)
			memcpy(to + n, one, length);
		n += length;
	}
	if (to)
		to[n] = '"';
	return n + 1;
}

TAU_INLINE size_t Tau_json_write(char *to, const Tau_metadata_value_t *v)
{
	size_t n = 0;
	int i;

	if (!v || v->text) {
		const char *text = v ? v->text : "null";

		if (to)
			memcpy(to, text, strlen(text));
		return strlen(text);
	}
	if (to)
		to[n] = v->named ? '{' : '[';
	n++;
	for (i = 0; i < v->n; i++) {
		if (i && to)
			to[n] = ',';
		n += i > 0;
		if (v->named) {
			n += Tau_json_quoted(to ? to + n : NULL, v->name[i]);
			if (to)
				to[n] = ':';
			n++;
		}
		n += Tau_json_write(to ? to + n : NULL, v->value[i]);
	}
	if (to)
		to[n] = v->named ? '}' : ']';
	return n + 1;
}

/* strdup() is not in every standard that a program may choose. */
TAU_INLINE char *Tau_json_copy(const char *text)
{
	char *copy = (char *)malloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

TAU_INLINE Tau_metadata_value_t *Tau_json_new(const char *text)
{
	Tau_metadata_value_t *v = (Tau_metadata_value_t *)calloc(1, sizeof(*v));

	if (v && text)
		v->text = Tau_json_copy(text);
	return v;
}

TAU_INLINE Tau_metadata_value_t *Tau_json_string(const char *text)
{
	Tau_metadata_value_t *v = Tau_json_new(NULL);

	if (v && (v->text = (char *)calloc(1, Tau_json_quoted(NULL, text) + 1)))
		Tau_json_quoted(v->text, text);
	return v;
}

TAU_INLINE Tau_metadata_value_t *Tau_json_number(double number)
{
	char text[40];

	__builtin_snprintf(text, sizeof(text), "%.17g", number);
	return Tau_json_new(text);
}

TAU_INLINE Tau_metadata_value_t *Tau_json_array(int n)
{
	Tau_metadata_value_t *v = Tau_json_new(NULL);

	if (v && n > 0)
		v->value = (Tau_metadata_value_t **)calloc((size_t)n, sizeof(*v->value));
	if (v && v->value)
		v->n = n;
	return v;
}

TAU_INLINE void Tau_json_set(Tau_metadata_value_t *array, int i, Tau_metadata_value_t *value)
{
	if (array && i >= 0 && i < array->n)
		array->value[i] = value;
}

TAU_INLINE void Tau_json_add(Tau_metadata_value_t *object, const char *name,
				Tau_metadata_value_t *value)
{
	size_t n = object ? (size_t)object->n + 1 : 0;
	char **names = object ? (char **)realloc(object->name, n * sizeof(*names)) : NULL;

	if (!names)
		return;
	object->name = names;
	object->value = (Tau_metadata_value_t **)realloc(object->value, n * sizeof(*object->value));
	names[n - 1] = Tau_json_copy(name);
	object->value[n - 1] = value;
	object->n = (int)n;
}

TAU_INLINE Tau_metadata_value_t *Tau_json_object(const char *name, Tau_metadata_value_t *value)
{
	Tau_metadata_value_t *v = Tau_json_new(NULL);

	if (v)
		v->named = 1;
	Tau_json_add(v, name, value);
	return v;
}

/* record: NULL without the recorder. A string by itself is recorded without its quotes. */
TAU_INLINE void Tau_structured_put(void (*record)(const char *, const char *), const char *name,
				   const Tau_metadata_value_t *value)
{
	size_t n = Tau_json_write(NULL, value);
	char *text = record ? (char *)calloc(1, n + 1) : NULL;

	if (!text)
		return;
	Tau_json_write(text, value);
	if (text[0] == '"' && !memchr(text, '\\', n)) {
		text[n - 1] = 0;
		record(name, text + 1);
	} else {
		record(name, text);
	}
	free(text);
}

#define TAU_METADATA_STRING(var, text) Tau_metadata_value_t *var = Tau_json_string(text)
#define TAU_METADATA_INTEGER(var, number) Tau_metadata_value_t *var = Tau_json_number(number)
#define TAU_METADATA_DOUBLE(var, number) Tau_metadata_value_t *var = Tau_json_number(number)
#define TAU_METADATA_NULL(var) Tau_metadata_value_t *var = Tau_json_new("null")
#define TAU_METADATA_TRUE(var) Tau_metadata_value_t *var = Tau_json_new("true")
#define TAU_METADATA_FALSE(var) Tau_metadata_value_t *var = Tau_json_new("false")
#define TAU_METADATA_OBJECT(var, name, value) Tau_metadata_value_t *var = Tau_json_object(name, value)
#define TAU_METADATA_OBJECT_PUT(var, name, value) Tau_json_add(var, name, value)
#define TAU_METADATA_ARRAY(var, n) Tau_metadata_value_t *var = Tau_json_array(n)
#define TAU_METADATA_ARRAY_PUT(var, i, value) Tau_json_set(var, i, value)
#define TAU_STRUCTURED_METADATA(name, value) Tau_structured_put(TAU_REAL(Tau_metadata), name, value)
#define TAU_METADATA_ITERATION(name, number, value) \
	{ \
		char tau_name[1024]; \
		__builtin_snprintf(tau_name, sizeof(tau_name), "%s_|_%d", name, number); \
		Tau_metadata(tau_name, value); \
	}

#endif
