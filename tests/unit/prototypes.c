/* prototypes.c: declarations as GCC writes them, one case each: what is read, and what is refused for which reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/code/prototypes.h"
#include "tap.h"

static const struct {
	const char *line, *name, *returns, *types;
	enum prototype_refusal refusal;
} cases[] = {
	{"/* a.h:3:NC */ extern int plain (int, const char *);", "plain", "int",
	 "int|const char *", PROTOTYPE_FINE},
	{"/* a.h:4:NC */ extern const char *text (void);", "text", "const char *", "",
	 PROTOTYPE_FINE},
	{"/* a.h:5:NC */ extern void each (void (*)(void *, int), void *);", "each", "void",
	 "void (*)(void *, int)|void *", PROTOTYPE_FINE},
	{"/* a.h:6:NC */ extern int print (const char *, ...);", "print", "int",
	 "const char *|...", PROTOTYPE_VARIADIC},
	{"/* a.h:7:NC */ extern int old ();", "old", "int", "", PROTOTYPE_UNKNOWN},
	{"/* a.h:8:NC */ extern void (*handler (int, void (*)(int)))(int);", "handler", NULL, "",
	 PROTOTYPE_RETURNS},
	{"/* a.h:9:NC */ extern int setjmp (struct __jmp_buf_tag *);", "setjmp", "int",
	 "struct __jmp_buf_tag *", PROTOTYPE_TWICE},
	{"/* a.h:10:NC */ extern int list (__va_list_tag *);", "list", "int", "__builtin_va_list",
	 PROTOTYPE_FINE},
	/* These add nothing. */
	{"/* a.h:3:NC */ extern int plain (int, const char *);", NULL, NULL, NULL, 0},
	{"/* a.h:11:NF */ static int inner (void);", NULL, NULL, NULL, 0},
	{"/* compiled from: a.c */", NULL, NULL, NULL, 0},
	{"/* a.h */ extern int", NULL, NULL, NULL, 0},
	{"/* a.h:1:NC */ extern int x (int", NULL, NULL, NULL, 0},
	{"/* a.h:1:NC */ extern (", NULL, NULL, NULL, 0},
	{"", NULL, NULL, NULL, 0},
};

static void types_join(const struct prototype *p, char *out, size_t room)
{
	*out = 0;
	for (size_t i = 0; i < p->arguments; i++)
		snprintf(out + strlen(out), room - strlen(out), "%s%s", i ? "|" : "", p->type[i]);
}

static void test_lines(void)
{
	struct prototypes all = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t before = all.v_n;
		const struct prototype *p;
		char types[256];

		prototypes_add(&all, cases[i].line);
		if (!cases[i].name) {
			ok(all.v_n == before, "nothing is added by \"%s\"", cases[i].line);
			continue;
		}
		ok(all.v_n == before + 1, "%s is added", cases[i].name);
		if (all.v_n == before)
			continue;
		p = &all.v[before];
		types_join(p, types, sizeof(types));
		ok(!strcmp(p->name, cases[i].name) && p->refusal == cases[i].refusal &&
			   !strcmp(types, cases[i].types) &&
			   !strcmp(p->returns ? p->returns : "", cases[i].returns ? cases[i].returns : ""),
		   "%s: %s(%s), refusal %d", p->name, p->returns ? p->returns : "", types,
		   p->refusal);
	}
	prototypes_release(&all);
}

static void test_arguments(void)
{
	static const struct {
		const char *type, *want;
		int function;
	} c[] = {
		{"int", "int x", 0},
		{"char *", "char * x", 0},
		{"void (*)(int, char *)", "void (*x)(int, char *)", 1},
		{"int (**)(void)", "int (**x)(void)", 1},
		{"int (*)[3]", "int (*x)[3]", 1},
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		int function;
		char *text = prototype_argument(c[i].type, "x", &function);

		ok(!strcmp(text, c[i].want) && function == c[i].function, "%s with a name: %s",
		   c[i].type, text);
		free(text);
	}
}

static void test_sizes(void)
{
	ok(prototype_is_size("len") && prototype_is_size("sourceLen") &&
		   prototype_is_size("buf_size") && prototype_is_size("nbytes"),
	   "names of sizes");
	ok(!prototype_is_size("level") && !prototype_is_size("count") && !prototype_is_size("n"),
	   "names of other numbers");
}

int main(void)
{
	test_lines();
	test_arguments();
	test_sizes();
	return tap_end();
}
