# install.sh: what make install puts down works from there, without the sources, and make uninstall takes it all away again.
. "$(dirname "$0")/../tap.sh"

at=$T/stage
make -C "$TOP" --no-print-directory B="$B" DESTDIR="$at" PREFIX=/opt/tau install >"$T/log" 2>&1 </dev/null
is "make install ends well" "$?" 0
p=$at/opt/tau
for f in bin/tau-record bin/tau-dump bin/tau-trace2profile bin/tau-db bin/tau-report bin/tau-reduce bin/tau-monitor lib/libtau.so include/tau.h \
	include/TAU.h share/man/man1/tau-record.1 bin/tau_exec share/man/man1/tau_exec.1; do
	ok "$f is there" test -e "$p/$f"
done

is "the Python modules are there" "$(find "$p/lib" -name '*tau*.py' | sed 's|.*/||' | LC_ALL=C sort | paste -sd ' ' -)" "pytau.py tau.py taudb.py"

# A program built from the installed header alone, recorded by the installed tools from another folder.
cd "$T" || exit 1
cat >user.c <<-'END'
	#include <TAU.h>
	int main(void)
	{
		for (int i = 0; i < 12; i++) {
			TAU_START("step");
			TAU_STOP("step");
		}
		return 0;
	}
END
ok "a program compiles with the installed header" cc -I"$p/include" user.c -o user
ok "and with C++" sh -c "cc -x c++ -I$p/include user.c -o user-cc -lstdc++"
ok "it runs without the recorder" ./user
installed() { env -i PATH="$p/bin:/usr/bin:/bin" HOME="$T" TMPDIR="$T" "$@"; }
ok "the installed recorder records it" installed tau-record -o "$T/run" ./user
is "the installed reader finds its calls" \
	"$(installed tau-trace2profile --format csv "$T/run" | sed 's/"[^"]*"/q/g' |
		awk -F, '$6 == "step" { print $8 }')" 12
ok "the installed dump finds nothing wrong" installed tau-dump --check "$T/run"
ok "the installed store takes it" installed tau-db import --db "$T/x.db" "$T/run"
is "nothing in the installed programs points back to the sources" \
	"$(for f in "$p"/bin/* "$p"/lib/*.so; do readelf -d "$f" 2>/dev/null | grep -E 'R(UN)?PATH' | grep -v '\$ORIGIN'; done)" ""
if command -v gcc >/dev/null; then
	echo 'int twelve(int size);' >twelve.h
	echo 'int twelve(int size) { return size; }' >twelve.c
	gcc -shared -fPIC twelve.c -o libtwelve.so
	ok "the installed tools make a wrapper" installed tau-record --make-wrapper twelve.h ./libtwelve.so
fi

make -C "$TOP" --no-print-directory B="$B" DESTDIR="$at" PREFIX=/opt/tau uninstall >>"$T/log" 2>&1 </dev/null
is "make uninstall leaves no file" "$(find "$at" -type f -o -type l)" ""
tap_end
