# made-wrapper.sh: tau-record --make-wrapper: a wrapper of a library made of its header. A library of the test's own has each kind of
# declaration; zlib is one that others wrote.
. "$(dirname "$0")/../expect.sh"

command -v gcc >/dev/null || skip_all "gcc is not installed"
cd "$T" || exit 1
rows() { tau-trace2profile --format csv "$T/$1.run" >"$T/$1.csv" 2>/dev/null; }

# ---- a library with odd declarations; the program counts its own calls and bytes ----
cat >odd.h <<-'END'
	#include <stdarg.h>
	#include <stddef.h>
	typedef struct { double x, y; } point;
	typedef int (*compare)(const void *, const void *);
	#define twice(x) ((x) * 2)	/* a macro with the name of a function */
	int (twice)(int x);
	point mirrored(point p);
	long moved(const void *from, size_t bytes, int flags);	// two lines
	void each(int n, void (*call)(int i, void *to), void *to);
	int sorted(int v[], size_t len, compare by);
	int printed(const char *format, ...);
	int listed(const char *format, va_list args);
	void (*handler(int signal, void (*next)(int)))(int);
	int failing(void);
	static inline int inner(int x) { return x; }
	int absent(int x);
END
cat >odd.c <<-'END'
	#include "odd.h"
	#undef twice
	#include <errno.h>
	int twice(int x) { return 2 * x; }
	point mirrored(point p) { return (point){ p.y, p.x }; }
	long moved(const void *from, size_t bytes, int flags) { return from && flags ? (long)bytes : -1; }
	void each(int n, void (*call)(int i, void *to), void *to) { for (int i = 0; i < n; i++) call(i, to); }
	int sorted(int v[], size_t len, compare by) { return len < 2 || by(v, v + 1) <= 0; }
	int printed(const char *format, ...) { return *format; }
	int listed(const char *format, va_list args) { return *format + va_arg(args, int); }
	void (*handler(int signal, void (*next)(int)))(int) { return signal ? next : 0; }
	int failing(void) { errno = 77; return -1; }
END
cat >use.c <<-'END'
	#include <errno.h>
	#include <stdio.h>
	#include "odd.h"
	static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
	static void add(int i, void *to) { *(int *)to += i; }
	static int list(const char *format, ...)
	{
		va_list args;
		int n;
		va_start(args, format);
		n = listed(format, args);
		va_end(args);
		return n;
	}
	int main(void)
	{
		int sum = 0, v[2] = { 1, 2 };
		long bytes = 0;
		for (int i = 1; i <= 30; i++)
			bytes += moved(v, (size_t)(100 * i), 1);
		each(5, add, &sum);
		for (int i = 0; i < 7; i++)
			sum += (twice)(i);
		printf("%ld %d %g %d %d %d", bytes, sum, mirrored((point){ 1, 2 }).x, sorted(v, 2, less), list("a", 3),
			printed("b", 1));
		errno = 0;
		printf(" %d", failing());
		printf(" %d %d\n", errno, handler(1, NULL) == NULL);
		return 3;
	}
END
gcc -fPIC -shared odd.c -o libodd.so -Wl,-soname,libodd.so.1 && ln -s libodd.so libodd.so.1 &&
	gcc use.c -o use -L. -lodd -Wl,-rpath,"$T" || { fail "the library is built"; tap_end; }
ok "a wrapper is made of a header and a library" tau-record --make-wrapper odd.h ./libodd.so
like "it says what it has" "$(cat "$T/.out")" \
	'^tau-wrapper-odd/libtau-odd.so records 7 functions of libodd.so.1 \(2 skipped, with reasons in odd.list\)$'
is "what cannot be wrapped is skipped with its reason" "$(grep '^skip' tau-wrapper-odd/odd.list)" \
	"skip printed variable arguments
skip handler returns a pointer to a function"
record odd "$T/use"
want=$(cat "$T/odd.out")
record odd --wrap tau-wrapper-odd/libtau-odd.so "$T/use"
rows odd
is "the program prints the same" "$(cat "$T/odd.out")" "$want"
is "and has its own errno in it" "$want" "46500 52 2 1 100 98 -1 77 1"
is "and ends with its status" "$code" 3
is "calls of each function are those of the program" \
	"$(awk -F, '$7 == "ODD" { print $6, $8 }' "$T/odd.csv" | LC_ALL=C sort)" \
	"each() 1
failing() 1
listed() 1
mirrored() 1
moved() 30
sorted() 1
twice() 7"
is "sizes are the bytes that it moved" "$(awk -F, '$6 == "moved() bytes" { print $12, $12 * $15 }' "$T/odd.csv")" "30 46500"
is "and lengths" "$(awk -F, '$6 == "sorted() len" { print $12, $15 }' "$T/odd.csv")" "1 2"
ok "the trace is sound" tau-dump --check "$T/odd.run"

# ---- what cannot be made leaves nothing ----
refused() {
	what=$1
	want=$2
	shift 2
	tau-record "$@" >"$T/bad.out" 2>"$T/bad.err"
	like "$what: status $?" "$?" 125
	like "$what: the message" "$(tail -n 1 "$T/bad.err")" "$want"
}
# A header that uses FILE and size_t, and has no #include.
echo 'size_t bare_written(FILE *to, const char *text);' >bare.h
printf '#include <stdio.h>\n#include <string.h>\n#include "bare.h"\nsize_t bare_written(FILE *to, const char *text) { fputs(text, to); return strlen(text); }\n' >bare.c
${CC:-cc} -shared -fPIC bare.c -o libbare.so
like "a header without its #include lines" "$(CPPFLAGS=-I. tau-record --make-wrapper bare.h ./libbare.so)" '^.*records 1 functions? of'
refused "a folder that is there already" 'tau-wrapper-odd: File exists' --make-wrapper odd.h ./libodd.so
refused "no library" 'give one library after the header' --make-wrapper odd.h
refused "no such header" 'nothing.h>: GCC cannot read this header' -o none --make-wrapper nothing.h -l z
refused "no such library" 'libnothing_there.so: the compiler finds no such library' -o none --make-wrapper odd.h -l nothing_there
refused "a header of something else" 'declares no function that libodd.so.1 exports' -o none --make-wrapper math.h ./libodd.so
refused "not a library" 'not a shared library that exports functions' -o none --make-wrapper odd.h ./odd.c
refused "a name beside -l, of a recording" '-l takes a name with --make-wrapper only' -lz true
refused "an option of recording" 'has no effect here' --sample --make-wrapper odd.h ./libodd.so
ok "none of them leaves anything" sh -c '! ls -d none* tau-wrapper-odd.* 2>/dev/null'

# ---- zlib ----
if echo '#include <zlib.h>' | gcc -E - >/dev/null 2>&1; then
	cat >packed.c <<-'END'
		#include <zlib.h>
		int main(void)
		{
			static unsigned char from[100000], to[200000];
			for (int i = 1; i <= 20; i++) {
				unsigned long n = sizeof(to);
				if (compress2(to, &n, from, 1000ul * (unsigned)i, 1))
					return 1;
			}
			return 0;
		}
	END
	gcc packed.c -o packed -lz
	ok "a wrapper of zlib is made" tau-record --make-wrapper zlib.h -l z
	record zlib --wrap ./tau-wrapper-z/libtau-z.so "$T/packed"
	rows zlib
	ok "-lz is the same" tau-record -o joined --make-wrapper zlib.h -lz
	is "with the same functions" "$(cat joined/z.list)" "$(cat tau-wrapper-z/z.list)"
	is "zlib: calls" "$(awk -F, '$6 == "compress2()" { print $8 }' "$T/zlib.csv")" 20
	is "zlib: bytes" "$(awk -F, '$6 == "compress2() sourceLen" { print $12 * $15 }' "$T/zlib.csv")" 210000
else
	skip "a wrapper of zlib is made" "zlib.h is not installed"
fi

# ---- a wrapper of another version of the recorder ----
version=$(sed -n 's/^void.*tau_wrapper_made_for_\([A-Z_0-9]*\)(.*/\1/p; s/.*default.*void tau_wrapper_made_for_\([A-Z_0-9]*\)(.*/\1/p' tau-wrapper-odd/odd.c | head -n 1)
like "a wrapper contains the version that it was made for" "$version" '^TAU_WRAPPERS_[0-9]+$'
build_odd() { (cd tau-wrapper-odd && sed "$1" odd.c >other.c && gcc -O2 -fPIC -shared -fvisibility=hidden -w -I"$B/tau-wrapper" other.c -o "$2"); }
build_odd "s/made_for_$version/made_for_TAU_WRAPPERS_99/" libtau-later.so
tau-record -o later.run -w tau-wrapper-odd/libtau-later.so ./use >said 2>&1
is "one for another version is refused, before the program starts" "$? $(grep -c 'made for another version of the recorder.*does not have TAU_WRAPPERS_99' said) $(wc -l <said)" "125 1 1"
cat >gone.c <<-'END'
	void tau_gone(void);
	int twice(int x) { tau_gone(); return 2 * x; }
END
gcc -shared -fPIC -o libtau-gone.so gone.c
tau-record -o gone.run -w ./libtau-gone.so ./use >said 2>&1
is "and one that calls a function which the recorder no longer has" "$? $(grep -c 'does not have tau_gone()' said)" "125 1"
build_odd "s/made_for_$version/other/" libtau-unmarked.so
tau-record -o unmarked.run -w tau-wrapper-odd/libtau-unmarked.so ./use >said 2>&1
is "one without a version, that finds all functions, is used" "$? $(grep -c 'another version' said)" "3 0"
tap_end
