/* table_types.h: the types of columns, and the formats of a table. */
#ifndef TABLE_TYPES_H
#define TABLE_TYPES_H

enum table_type {
	TABLE_TEXT,	/* left-aligned */
	TABLE_INTEGER,	/* right-aligned, like all below */
	TABLE_NUMBER,	/* precision digits after the point in text */
	TABLE_BYTES,	/* a number of bytes; text scales it: 232 B, 1.91 KiB, 2.61 MiB */
};

enum table_format { TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON, TABLE_AS_MARKDOWN, TABLE_AS_HTML };

#endif
