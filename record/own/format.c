/*
 * format.c: snprintf() of text and whole numbers: %s %c %d %i %u %x %X %o %p %%, with flags, width,
 * precision and the sizes hh h l ll z j t. What it does not know stays as it is.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct out {
	char *at;
	size_t room, n; /* n: of the whole text, also what has no room */
};

struct spec {
	bool left, zero, plus, blank, alternate;
	int width, precision; /* -1: none */
	int size;             /* bytes of the argument */
};

static void put(struct out *o, const char *text, size_t n)
{
	size_t room = o->n < o->room ? o->room - o->n : 0;

	memcpy(o->at + o->n, text, n < room ? n : room);
	o->n += n;
}

static void pad(struct out *o, char c, long n)
{
	for (; n > 0; n--)
		put(o, &c, 1);
}

/* sign and digits, with zeros between as width or precision want them. */
static void put_number(struct out *o, const struct spec *s, const char *sign, const char *digits,
		       size_t n)
{
	long sign_n = (long)strlen(sign), all = (long)n,
	     zeros = s->precision > all ? s->precision - all : 0;

	if (s->zero && !s->left && s->precision < 0 && s->width > all + sign_n)
		zeros = s->width - all - sign_n;
	all += zeros + sign_n;
	if (!s->left)
		pad(o, ' ', s->width - all);
	put(o, sign, (size_t)sign_n);
	pad(o, '0', zeros);
	put(o, digits, n);
	if (s->left)
		pad(o, ' ', s->width - all);
}

static void put_unsigned(struct out *o, const struct spec *s, const char *sign, uint64_t value,
			 unsigned base, bool upper)
{
	char digits[24], *p = digits + sizeof(digits);

	for (; value; value /= base)
		*--p = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[value % base];
	if (p == digits + sizeof(digits) && s->precision)
		*--p = '0';
	put_number(o, s, sign, p, (size_t)(digits + sizeof(digits) - p));
}

static void put_text(struct out *o, const struct spec *s, const char *text)
{
	size_t n;

	if (!text)
		text = "(null)";
	n = s->precision < 0 ? strlen(text) : strnlen(text, (size_t)s->precision);
	if (!s->left)
		pad(o, ' ', s->width - (long)n);
	put(o, text, n);
	if (s->left)
		pad(o, ' ', s->width - (long)n);
}

static const char *read_size(const char *f, int *size)
{
	*size = sizeof(int);
	if (*f == 'h') {
		*size = f[1] == 'h' ? 1 : 2;
		return f + (f[1] == 'h' ? 2 : 1);
	}
	if (*f != 'l' && *f != 'z' && *f != 'j' && *f != 't')
		return f;
	*size = sizeof(long);
	if (f[0] != 'l' || f[1] != 'l')
		return f + 1;
	*size = sizeof(long long);
	return f + 2;
}

static const char *read_flags(const char *f, struct spec *s)
{
	for (;; f++) {
		if (*f == '-')
			s->left = true;
		else if (*f == '0')
			s->zero = true;
		else if (*f == '+')
			s->plus = true;
		else if (*f == ' ')
			s->blank = true;
		else if (*f == '#')
			s->alternate = true;
		else
			return f;
	}
}

static const char *read_number(const char *f, int *value)
{
	for (*value = 0; *f >= '0' && *f <= '9'; f++)
		*value = *value * 10 + (*f - '0');
	return f;
}

static int64_t narrowed(int64_t v, int size)
{
	return size == 1 ? (signed char)v : size == 2 ? (short)v : v;
}

static uint64_t narrowed_unsigned(uint64_t v, int size)
{
	return size == 1 ? (uint8_t)v : size == 2 ? (uint16_t)v : v;
}

int vsnprintf(char *restrict to, size_t room, const char *restrict f, va_list args)
{
	struct out o = {to, room, 0};
	va_list a;

	va_copy(a, args);
	while (*f) {
		struct spec s = {.precision = -1};
		const char *begin = f;
		size_t plain = strcspn(f, "%");

		put(&o, f, plain);
		f += plain;
		if (!*f)
			break;
		begin = f;
		f = read_flags(f + 1, &s);
		if (*f == '*') {
			s.width = va_arg(a, int);
			s.left |= s.width < 0;
			s.width = s.width < 0 ? -s.width : s.width;
			f++;
		} else {
			f = read_number(f, &s.width);
		}
		if (*f == '.' && f[1] == '*') {
			s.precision = va_arg(a, int);
			f += 2;
		} else if (*f == '.') {
			f = read_number(f + 1, &s.precision);
		}
		f = read_size(f, &s.size);
		if (*f == 's') {
			put_text(&o, &s, va_arg(a, const char *));
		} else if (*f == 'c') {
			char c[2] = {(char)va_arg(a, int)};

			s.precision = -1;
			put_text(&o, &s, c);
		} else if (*f == 'd' || *f == 'i') {
			int64_t v = s.size > (int)sizeof(int) ? va_arg(a, long long)
							      : narrowed(va_arg(a, int), s.size);

			put_unsigned(&o, &s,
				     v < 0     ? "-"
				     : s.plus  ? "+"
				     : s.blank ? " "
					       : "",
				     v < 0 ? -(uint64_t)v : (uint64_t)v, 10, false);
		} else if (*f == 'u' || *f == 'x' || *f == 'X' || *f == 'o') {
			uint64_t v = s.size > (int)sizeof(int)
					     ? va_arg(a, unsigned long long)
					     : narrowed_unsigned(va_arg(a, unsigned), s.size);

			put_unsigned(&o, &s,
				     !s.alternate || !v || *f == 'u' ? ""
				     : *f == 'o'                     ? "0"
				     : *f == 'x'                     ? "0x"
								     : "0X",
				     v,
				     *f == 'u'   ? 10
				     : *f == 'o' ? 8
						 : 16,
				     *f == 'X');
		} else if (*f == 'p') {
			put_unsigned(&o, &s, "0x", (uintptr_t)va_arg(a, void *), 16, false);
		} else if (*f == '%') {
			put(&o, "%", 1);
		} else {
			put(&o, begin, (size_t)(f - begin) + (*f != 0));
			if (!*f)
				break;
		}
		f++;
	}
	va_end(a);
	if (room)
		to[o.n < room ? o.n : room - 1] = 0;
	return (int)o.n;
}

int snprintf(char *restrict to, size_t room, const char *restrict format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(to, room, format, args);
	va_end(args);
	return n;
}

int sprintf(char *restrict to, const char *restrict format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(to, PTRDIFF_MAX, format, args);
	va_end(args);
	return n;
}
