/* prototypes.c: reads the declarations that GCC writes. */
#include "convert/code/prototypes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analyze/base/base.h"
#include "convert/io/blob.h"

static int word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A copy of n bytes without white space at the ends. */
static char *copy(const char *s, size_t n)
{
	char *out;

	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	out = mem_alloc(n + 1);
	memcpy(out, s, n);
	return out;
}

/* The parenthesis that closes the one at s; NULL: it is not closed. */
static const char *closing(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		depth += (*s == '(') - (*s == ')');
		if (!depth)
			return s;
	}
	return NULL;
}

/* The end of the argument that begins at s: a comma outside parentheses, or `end`. */
static const char *argument_end(const char *s, const char *end)
{
	int depth = 0;

	for (; s < end; s++) {
		depth += (*s == '(') - (*s == ')');
		if (*s == ',' && !depth)
			break;
	}
	return s;
}

/* Splits the text between two parentheses into arguments; the caller frees them. */
static char **split(const char *s, const char *end, size_t *n)
{
	struct {
		char **v;
		size_t v_n, v_cap;
	} list = {0};

	while (s < end) {
		const char *next = argument_end(s, end);

		*array_add(&list, v) = copy(s, (size_t)(next - s));
		s = next + 1;
	}
	*n = list.v_n;
	return list.v;
}

/* GCC writes va_list as its definition, under a name that it cannot read. */
static void va_list_name(struct prototype *p)
{
	for (size_t i = 0; i < p->arguments; i++)
		if (strstr(p->type[i], "__va_list_tag")) {
			free(p->type[i]);
			p->type[i] = mem_string("__builtin_va_list");
		}
}

static void split_free(char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

/* Replaces comments and preprocessor lines by blanks. */
static void blank_comments(char *s)
{
	while (*s) {
		size_t n = 0;

		if (!strncmp(s, "/*", 2))
			n = strstr(s + 2, "*/") ? (size_t)(strstr(s + 2, "*/") + 2 - s) : strlen(s);
		else if (!strncmp(s, "//", 2) || *s == '#')
			n = strcspn(s, "\n");
		for (size_t i = 0; i < n; i++)
			s[i] = ' ';
		s += n ? n : 1;
	}
}

/*
 * The name in the declaration of an argument: its last word, or the name of a pointer to a
 * function. NULL: it has none.
 */
static char *declared_name(const char *text, const char *type)
{
	const char *end = text + strlen(text), *from;
	const char *pointer = strstr(text, "(*");
	size_t n, type_n = strlen(type);

	if (pointer)
		end = pointer + strcspn(pointer, ")");
	else if (strchr(text, '['))
		end = strchr(text, '[');
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	for (from = end; from > text && word(from[-1]);)
		from--;
	n = (size_t)(end - from);
	if (!n || from == text || isdigit((unsigned char)*from))
		return NULL;
	/* the last word belongs to the type: the argument has no name */
	if (type_n >= n && !strncmp(type + type_n - n, from, n))
		return NULL;
	return copy(from, n);
}

/* Finds NAME and the parenthesis before its arguments in the text of a header; NULL: not found. */
static const char *declaration_find(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += n) {
		const char *open = at + n;

		if ((at > text && word(at[-1])) || word(*open))
			continue;
		open += strspn(open, " \t\n)");
		/* a macro around the arguments, as in zlib: NAME OF((TYPE argument)) */
		while (word(*open))
			open++;
		open += strspn(open, " \t\n");
		if (*open == '(')
			return open + strspn(open, "(") - 1;
	}
	return NULL;
}

/* Reads the names of arguments from the header at the line of the declaration, if possible. */
static void names_read(struct prototype *p, const char *path, unsigned line)
{
	struct error e = {0};
	struct blob b = {0};
	char *text, *at;
	const char *open, *end;

	if (blob_read(path, &b, &e) < 0)
		return;
	text = (char *)b.p;
	for (at = text; line > 1 && at; line--) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (at)
		blank_comments(at);
	open = at ? declaration_find(at, p->name) : NULL;
	end = open ? closing(open) : NULL;
	if (end) {
		size_t n;
		char **piece = split(open + 1, end, &n);

		for (size_t i = 0; n == p->arguments && i < n; i++)
			p->argument[i] = declared_name(piece[i], p->type[i]);
		split_free(piece, n);
	}
	blob_release(&b);
}

static enum prototype_refusal refusal(const struct prototype *p)
{
	static const char *const twice[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp",
					    "vfork",  "fork",	 "getcontext"};

	for (size_t i = 0; i < sizeof(twice) / sizeof(*twice); i++)
		if (!strcmp(p->name, twice[i]))
			return PROTOTYPE_TWICE;
	for (size_t i = 0; i < p->arguments; i++)
		if (!strcmp(p->type[i], "..."))
			return PROTOTYPE_VARIADIC;
	return PROTOTYPE_FINE;
}

static int known(const struct prototypes *p, const char *name, size_t n)
{
	for (size_t i = 0; i < p->v_n; i++)
		if (strlen(p->v[i].name) == n && !memcmp(p->v[i].name, name, n))
			return 1;
	return 0;
}

/* A function that returns a pointer to a function: RETURN (*NAME (ARGUMENTS))(ARGUMENTS). */
static int returns_pointer(const char *text, const char *open)
{
	const char *before = open;

	while (before > text && before[-1] == ' ')
		before--;
	return open[1] == '*' || before == text || !word(before[-1]);
}

static void declaration_add(struct prototypes *to, const char *text, const char *path,
			    unsigned line)
{
	const char *open = strchr(text, '('), *name, *end, *stop;
	struct prototype *p;
	int pointer;

	if (!open)
		return;
	pointer = returns_pointer(text, open);
	name = pointer ? open + 1 + strspn(open + 1, "* ") : open;
	if (!pointer) {
		while (name > text && name[-1] == ' ')
			name--;
		for (stop = name; name > text && word(name[-1]);)
			name--;
	} else {
		for (stop = name; word(*stop);)
			stop++;
		open = stop + strcspn(stop, "(");
	}
	end = *open ? closing(open) : NULL;
	if (stop == name || !end || known(to, name, (size_t)(stop - name)))
		return;
	p = array_add(to, v);
	p->name = copy(name, (size_t)(stop - name));
	if (pointer) {
		p->refusal = PROTOTYPE_RETURNS;
		return;
	}
	p->returns = copy(text, (size_t)(name - text));
	p->type = split(open + 1, end, &p->arguments);
	va_list_name(p);
	p->argument = mem_resize(NULL, p->arguments + 1, sizeof(*p->argument));
	memset(p->argument, 0, (p->arguments + 1) * sizeof(*p->argument));
	p->refusal = p->arguments ? refusal(p) : PROTOTYPE_UNKNOWN;
	if (p->arguments == 1 && !strcmp(p->type[0], "void")) {
		free(p->type[0]);
		p->arguments = 0;
	}
	if (p->arguments && p->refusal == PROTOTYPE_FINE)
		names_read(p, path, line);
}

void prototypes_add(struct prototypes *to, const char *line)
{
	const char *end, *colon;
	unsigned number = 0;
	char *path;

	if (strncmp(line, "/* ", 3) != 0 || !(end = strstr(line, " */ extern ")))
		return;
	for (colon = line + 3; (colon = strchr(colon, ':')) && colon < end; colon++)
		if (sscanf(colon, ":%u:", &number) == 1)
			break;
	if (!colon || colon >= end)
		return;
	path = copy(line + 3, (size_t)(colon - line - 3));
	declaration_add(to, end + strlen(" */ extern "), path, number);
	free(path);
}

void prototypes_release(struct prototypes *p)
{
	for (size_t i = 0; i < p->v_n; i++) {
		split_free(p->v[i].type, p->v[i].arguments);
		split_free(p->v[i].argument, p->v[i].arguments);
		free(p->v[i].name);
		free(p->v[i].returns);
	}
	free(p->v);
	memset(p, 0, sizeof(*p));
}

const char *prototype_refusal_text(enum prototype_refusal refusal)
{
	static const char *const text[] = {
		[PROTOTYPE_FINE] = "",
		[PROTOTYPE_VARIADIC] = "variable arguments",
		[PROTOTYPE_UNKNOWN] = "arguments not declared",
		[PROTOTYPE_RETURNS] = "returns a pointer to a function",
		[PROTOTYPE_TWICE] = "returns twice",
	};

	return text[refusal];
}

char *prototype_argument(const char *type, const char *name, int *function)
{
	const char *star = strstr(type, "(*"), *end = star ? star + strcspn(star, ")") : NULL;

	*function = end && *end;
	if (!*function)
		return mem_printf("%s %s", type, name);
	return mem_printf("%.*s%s%s", (int)(end - type), type, name, end);
}

static int ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcasecmp(name + n - m, end);
}

int prototype_is_size(const char *name)
{
	static const char *const words[] = {"size", "len", "length", "nbytes", "bytes"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (ends_in(name, words[i]))
			return 1;
	return 0;
}
