# install.sh: what make install puts down works from there, without the sources, and make uninstall takes it all away again.
. "$(dirname "$0")/../tap.sh"

at=$T/stage
make -C "$TOP" --no-print-directory B="$B" DESTDIR="$at" PREFIX=/opt/tau install >"$T/log" 2>&1 </dev/null
is "make install ends well" "$?" 0
p=$at/opt/tau
for f in bin/tau-record bin/tau-dump bin/tau-trace2profile bin/tau-db bin/tau-report bin/tau-reduce bin/tau-experiment bin/tau-monitor lib/libtau.so include/tau.h \
	include/TAU.h lib/tau/libtau.so share/man/man1/tau-record.1.gz bin/tau_exec share/man/man1/tau_exec.1.gz; do
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
	"$(for f in "$p"/bin/* "$p"/lib/*.so "$p"/lib/tau/*.so; do readelf -d "$f" 2>/dev/null | grep -E 'R(UN)?PATH' | grep -v '\$ORIGIN'; done)" ""
if command -v gcc >/dev/null; then
	echo 'int twelve(int size);' >twelve.h
	echo 'int twelve(int size) { return size; }' >twelve.c
	gcc -shared -fPIC twelve.c -o libtwelve.so
	ok "the installed tools make a wrapper" installed tau-record --make-wrapper twelve.h ./libtwelve.so
fi

is "only libraries for linkers are in lib" "$(ls "$p/lib" | grep '\.so' | LC_ALL=C sort | paste -sd ' ' -)" \
	"libTAU_traceinput.so libTAU_traceinput.so.1 libtau.so libtaudb.so libtaudb.so.1"
ok "each symbolic link leads to a file" test -z "$(find "$p" -xtype l)"
ok "a manual page reads" sh -c "gzip -dc '$p/share/man/man1/tau-record.1.gz' | grep -q '^.Dt TAU-RECORD'"

# Moved to another folder, all is found from where it is.
mv "$p" "$T/moved"
m=$T/moved
moved() { env -i PATH="$m/bin:/usr/bin:/bin" HOME="$T" TMPDIR="$T" "$@"; }
ok "what was moved records" moved tau-record -o "$T/run2" ./user
if command -v pkg-config >/dev/null; then
	for l in tau taudb TAU_traceinput; do
		ok "pkg-config finds the moved $l" test -d "$(PKG_CONFIG_PATH=$m/lib/pkgconfig pkg-config --cflags-only-I "$l" | sed 's/^-I//; s/ *$//')"
	done
fi
if command -v cmake >/dev/null; then
	mkdir -p cm && cp user.c cm && cat >cm/CMakeLists.txt <<-'END'
		cmake_minimum_required(VERSION 3.13)
		project(user C)
		find_package(tau 0.1 REQUIRED)
		add_executable(user user.c)
		target_link_libraries(user tau::tau tau::taudb)
	END
	ok "CMake finds the moved package" sh -c "cmake -S cm -B cm/b -DCMAKE_PREFIX_PATH='$m' >'$T/cmake.log' 2>&1 && cmake --build cm/b >>'$T/cmake.log' 2>&1"
fi
if command -v bash >/dev/null; then
	cat >complete.bash <<-'END'
		. "$1"/share/bash-completion/completions/tau-report
		COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
		_tau "$2"
		printf '%s\n' "${COMPREPLY[@]}"
	END
	is "bash completes a kind" "$(moved bash complete.bash "$m" tau-report critical)" critical-path
	is "an option" "$(moved bash complete.bash "$m" tau-record --metr)" --metrics
	is "an option of a command" "$(moved bash complete.bash "$m" tau-db import --ag)" --again
	is "and starts no program that is recorded" "$(moved bash complete.bash "$m" tau-record ./user --xyz; ls -d tau-user* 2>/dev/null)" ""
fi
mv "$m" "$p"

make -C "$TOP" --no-print-directory B="$B" DESTDIR="$at" PREFIX=/opt/tau uninstall >>"$T/log" 2>&1 </dev/null
is "make uninstall leaves no file" "$(find "$at" -type f -o -type l)" ""
is "and no folder of its own" "$(find "$p" -depth -type d | sed "s|$at||" | grep -v '^/opt/tau$')" ""

# As on Debian: libraries in a folder of the architecture, without debug information.
lib=/usr/lib/$(${CC:-cc} -dumpmachine | sed 's/-pc-/-/')
make -C "$TOP" --no-print-directory B="$B" DESTDIR="$at" PREFIX=/usr LIBDIR="$lib" install-strip >>"$T/log" 2>&1 </dev/null
is "make install-strip ends well" "$?" 0
ok "libraries are in the folder of the architecture" test -e "$at$lib/tau/libtau.so"
is "without debug information" "$(readelf -S "$at$lib/tau/libtau.so" "$at/usr/bin/tau-record" | grep -c debug_info)" 0
is "Python's modules are where Python looks, for every architecture" "$(ls "$at"/usr/lib/python3/dist-packages 2>/dev/null | paste -sd ' ' -)" "pytau.py tau.py taudb.py"
ok "what is there records" env -i PATH="$at/usr/bin:/usr/bin:/bin" HOME="$T" TMPDIR="$T" tau-record -o "$T/run3" ./user
is "pkg-config has its folder" "$(PKG_CONFIG_PATH=$at$lib/pkgconfig pkg-config --variable=libdir taudb 2>/dev/null | xargs -r realpath)" "$(realpath "$at$lib")"
make -C "$TOP" --no-print-directory B="$B" DESTDIR="$at" PREFIX=/usr LIBDIR="$lib" uninstall >>"$T/log" 2>&1 </dev/null
is "and nothing is left of it" "$(find "$at" -type f -o -type l)" ""
tap_end
