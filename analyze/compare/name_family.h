/*
 * name_family.h: the part of a region's name that stays the same when a program is built again.
 * Names of one family differ only in
 *
 *	the place	"f [{/a/v1/x.c} {10,1}-{19,1}]" and "f [{/b/x.c} {12,1}-{21,1}]", "main x.c:17" and "main x.c:20"
 *	an address	"UNRESOLVED ADDR 0x7f12" and "UNRESOLVED ADDR 0x55aa"
 *	a version	"f [libm.so.6]" and "f [libm.so.7]", "read@GLIBC_2.2.5" and "read", "f.constprop.0" and "f"
 *
 * A folder is part of the place: only the last part of a file's path stays.
 */
#ifndef NAME_FAMILY_H
#define NAME_FAMILY_H

enum name_rule {
	NAME_PLACE = 1,
	NAME_ADDRESS = 2,
	NAME_VERSION = 4,
	NAME_RULES = NAME_PLACE | NAME_ADDRESS | NAME_VERSION,
};

/* The name without what these rules (enum name_rule) remove. The caller frees it. */
char *name_family(const char *name, unsigned rules);

/*
 * In what two names of one family differ: "place", "address", "version", or several of them: "place
 * and version". A constant.
 */
const char *name_family_difference(const char *a, const char *b);

#endif
