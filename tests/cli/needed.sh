# needed.sh: which libraries a program would load, found by reading files: as the loader itself lists them, and nothing is executed.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
CC=${CC:-cc}

# ---- what the program names as its loader is not executed ----
cat >trap.c <<-'END'
	#include <fcntl.h>
	#include <sys/syscall.h>
	static long call(long n, long a, long b, long c)
	{
		long r;
		__asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
		return r;
	}
	void _start(void) { call(SYS_open, (long)"trapped", O_CREAT | O_WRONLY, 0600); call(SYS_exit, 9, 0, 0); }
END
echo 'int main(void) { return 0; }' >main.c
if $CC -O1 -static -nostdlib -fno-stack-protector trap.c -o trap 2>/dev/null; then
	$CC main.c -o odd "-Wl,--dynamic-linker=$T/trap"
	printf '#!%s/odd\n' "$T" >script && chmod +x script
	for what in -n -l; do
		for p in ./odd ./script; do
			tau-record $what $p >out 2>err
			is "$what $p executes nothing" "$(ls trapped 2>/dev/null)" ""
		done
	done
	ok "the program itself would" sh -c './odd; test -e trapped'
	rm -f trapped
	is "recorded, it runs as without, unrecorded" "$(tau-record -o run ./odd 2>err; echo $?) $(ls trapped)" "9 trapped"
	like "and the reason is printed" "$(cat err)" 'odd: is built for a different C library than the recorder, so it cannot'
else
	skip "the program's own interpreter line" "the trap is written for another processor"
fi
$CC main.c -o lost "-Wl,--dynamic-linker=$T/none"
is "a loader that is not there ends as without the recorder" "$(tau-record -o run ./lost 2>err; echo $?)" 127

# ---- the same libraries as the loader lists ----
loader=$(readelf -lW "$B/tau-record" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
lists() {	# "NAME PATH" for each library but the kernel's, as ldd asks for them
	LD_TRACE_LOADED_OBJECTS=1 "$1" 2>/dev/null | sed -n 's/^[ \t]*\([^ ]*\) => \(not found\)$/\1 \2/p
		s/^[ \t]*\([^ ]*\) => \([^ ]*\) (0x.*/\1 \2/p; s/^[ \t]*\([^ ]*\/[^ ]*\) (0x.*/\1 \1/p' | grep -v "^$loader " | sort
}
reads() { "$B/tests/unit/needed" "$1" "$loader" | grep -v "^$loader " | sort; }
same() { is "$1" "$(reads "$2")" "$(lists "$(realpath "$2")")"; }
lib() {	# FILE SONAME VALUE FLAGS
	echo "int value_$2(void) { return $3; }" | sed 's/[.]so//' >lib.c
	$CC -shared -fPIC lib.c -o "$1" "-Wl,-soname,$2" -Wl,--no-as-needed $4 || fail "$1 is built"
}
mkdir a b c d e e/glibc-hwcaps e/glibc-hwcaps/x86-64-v2 e/glibc-hwcaps/x86-64-v9
lib a/liba.so liba.so 1 ""
lib b/libb.so libb.so 1 "-La -la"
lib c/libb.so libb.so 2 "-La -la"
lib d/libd.so libd.so 1 "$T/c/libb.so"
lib e/liba.so liba.so 1 ""
lib e/glibc-hwcaps/x86-64-v2/liba.so liba.so 3 ""
lib e/glibc-hwcaps/x86-64-v9/liba.so liba.so 4 ""
{ printf '\177ELF\1\1\1'; head -c 100 /dev/zero; } >d/liba.so	# of 32 bits
link() {	# FILE FLAGS
	out=$1; shift
	$CC main.c -o "$out" -Wl,--no-as-needed "$@" || fail "$out is linked"
}
link runpath -Lb -lb -Wl,--enable-new-dtags,-rpath,b:a -Wl,--allow-shlib-undefined
same "RUNPATH is not for the libraries of libraries" runpath
link rpath -Lb -lb -Wl,--disable-new-dtags,-rpath,b:a
same "RPATH is" rpath
link origin -Lb -lb -Wl,--disable-new-dtags,-rpath,'$ORIGIN/b:${ORIGIN}/a:$LIB:$NOTHING'
same "variables of the loader" origin
mkdir far && ln -s ../origin far/origin
is "the program's folder is that of the file, not of a link to it" "$(reads far/origin | grep -c "$T/far")" 0
link noname "$T/d/libd.so" -Lc -Wl,-rpath-link,c:a -Wl,--allow-shlib-undefined
same "a library that nothing finds" noname
LD_LIBRARY_PATH=$T/none:$T/c:d::$T/a
export LD_LIBRARY_PATH
same "LD_LIBRARY_PATH, past a file of another class" noname
same "RPATH comes before LD_LIBRARY_PATH" rpath
same "RUNPATH after it" runpath
LD_LIBRARY_PATH="$T/c;$T/a"
same "semicolons" runpath
LD_LIBRARY_PATH=$T/e:$T/b
same "libraries for the processor's level" runpath
unset LD_LIBRARY_PATH
link nodefault -Wl,-z,nodefaultlib
same "without the loader's folders" nodefault
link slash ./a/liba.so
cp a/liba.so bare.so
$CC -shared -fPIC lib.c -o ./bare.so && link slash2 ./bare.so
same "a library without a soname is a path" slash2
for p in "$B/tau-record" "$B/tau-report" "$B"/apps/mpip2p "$B"/apps/hooks "$(command -v python3)" "$(command -v gdb)"; do
	[ -e "$p" ] && same "$p" "$(readlink -f "$p")"
done
tap_end
