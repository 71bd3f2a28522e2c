# includes.sh: which folder may include which, that no modules form a circle, who may print or exit, and what a measured process loads.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

# The folders and the quoted includes that each may have, as paths from the top. record/metadata.h is names only, for all. In analyze/, convert/native/ and record/ a
# folder includes itself and those before it in these lists.
analyze="base trace profile stream summary window replay scaling memory messages hang clocks compare anomalies"
native="file live define index events write"
record="own base encode metric define enter sample event control life"
floors() {	# the list, a folder of it
	list=
	for f in $1; do
		list="$list$f"
		[ "$f" = "$2" ] && break
		list="$list|"
	done
	echo "$list"
}
tables='convert/[^/]*$'
allowed() {
	case $1 in
	analyze/*) echo "^analyze/($(floors "$analyze" "${1#analyze/}"))/" ;;
	convert/io) echo '^(convert/io|analyze/(base|trace))/' ;;
	convert/code) echo '^(convert/(io|code)|analyze)/|^record/format\.h$' ;;
	convert/native) echo "^(convert/(io|code|native)|analyze)/|^record/(counter|format|measures|requests)\.h\$|^$tables" ;;
	convert/native/*) echo "^(convert/(io|code|native/($(floors "$native" "${1#convert/native/}")))|analyze)/|^record/(counter|format|measures|requests)\.h\$|^convert/native/[^/]*\$|^$tables" ;;
	convert/traceinput) echo '^(convert/(io|tau|traceinput)|analyze)/' ;;
	convert/*) echo "^(convert/(io|code)|$1|analyze)/|^$tables" ;;
	convert) echo '^(convert|analyze)/|^record/format\.h$' ;;
	db) echo '^(db|analyze)/|^gen/(schema|schema_values|schema_counters|schema_messages|schema_sums|schema_views|queries)\.inc$' ;;
	db/*) echo '^(db|analyze)/' ;;
	cmd/shared) echo '^(cmd/shared|convert|db|analyze)/' ;;
	cmd/table) echo '^(cmd/(shared|table)|convert/io|analyze)/' ;;
	cmd/profile) echo '^(cmd/(shared|table|profile)|convert|analyze)/' ;;
	cmd/hang) echo '^(cmd/(shared|table|hang)|convert/io|analyze)/' ;;
	cmd/picture) echo '^(cmd/(shared|table|picture)|analyze)/|^gen/(page_css|page_js|flame_js)\.inc$' ;;
	cmd/report | cmd/report/*) echo '^(cmd/(shared|table|profile|hang|picture|report)|convert|db|analyze)/' ;;
	cmd/view) echo '^(cmd/(view|shared|table)|cmd/report/(kinds|report_types)\.h|convert|analyze)|^gen/view_(html|css|js|base_js|beside_js|curves_js|instances_js|legend_js|lines_js|moments_js|order_js|reports_js|rows_js|store_js)\.inc$' ;;
	cmd/record/*) echo '^(cmd/(record|shared|table|profile|picture)|convert|db|analyze)/|^record/(counter|metric/headroom)\.h$|^gen/skips\.inc$' ;;
	cmd/*) echo "^($1|cmd/(shared|table|profile|hang|picture)|convert|db|analyze)/" ;;
	cmd) echo '^(cmd|convert|db|analyze)/' ;;
	record/own) echo '^record/own/' ;;
	record/wrap) echo '^record/wrap/|^record/(tau|format|own/own)\.h$|^gen/[a-z_0-9]*\.gen\.c$' ;;
	record | record/link | record/Profile) echo '^record/[^/]*$' ;;
	record/*) echo "^record/($(floors "$record" "${1#record/}"))/|^record/[^/]*\$" ;;
	esac
}
folders() { find analyze convert db cmd record -name '*.[ch]' | sed 's|/[^/]*$||; s|^record/wrap/.*|record/wrap|' | sort -u; }
files_of() {
	case $1 in
	record/wrap) find record/wrap -name '*.[ch]' ;;
	*) find "$1" -maxdepth 1 -name '*.[ch]' ;;
	esac
}

# "FILE INCLUDED" for every quoted include of the files; what make generates is shown as gen/NAME.
find analyze convert db cmd record -name '*.[ch]' >"$T/sources"
quoted() {
	awk '
		function plain(path) {	# without FOLDER/..
			while (sub(/[^\/.][^\/]*\/\.\.\//, "", path))
				;
			return path
		}
		FILENAME == ARGV[1] { there[$0] = 1; next }
		match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
			name = $0
			sub(/^[^"]*"/, "", name)
			sub(/".*/, "", name)
			beside = FILENAME
			sub(/[^\/]*$/, "", beside)
			beside = plain(beside name)
			if (!(name in there))
				name = beside in there ? beside : beside ~ /^record\// && ("record/" name) in there ? "record/" name : "gen/" name
			print FILENAME, name
		}' "$T/sources" "$@"
}

# Edges "MODULE NEEDED" in, the modules of each circle out (the strongly connected components), one line each, the largest first.
circles() {
	python3 -c '
import sys
needs, users, order, seen, found = {}, {}, [], set(), []
for a, b in (line.split() for line in sys.stdin):
    needs.setdefault(a, set()).add(b)
    users.setdefault(b, set()).add(a)
def visit(start, edges, out):	# adds all that start reaches to out, each after what it reaches itself
    path = [(start, iter(sorted(edges.get(start, ()))))]
    seen.add(start)
    while path:
        node = next((n for n in path[-1][1] if n not in seen), None)
        if node is None:
            out.append(path.pop()[0])
        else:
            seen.add(node)
            path.append((node, iter(sorted(edges.get(node, ())))))
for node in sorted(needs):
    if node not in seen:
        visit(node, needs, order)
seen.clear()
for node in reversed(order):
    if node not in seen:
        found.append([])
        visit(node, users, found[-1])
for one in sorted((f for f in found if len(f) > 1), key=len, reverse=True):
    print(len(one), "modules:", *sorted(one))
'
}

# Edges "FILE NEEDED" in, the files of each cycle out.
cycles() { tsort 2>&1 >/dev/null | sed '/input contains a loop/d; s/^tsort: //' | tr '\n' ' '; }

edges=$T/edges
for room in $(folders); do
	files=$(files_of "$room")
	quoted $files >"$T/quoted"
	cat "$T/quoted" >>"$edges"
	is "$room includes only what it may" \
		"$(awk -v may="$(allowed "$room")" '$2 != "record/metadata.h" && $2 !~ may { print $1 " includes " $2 }' "$T/quoted")" ""
done
# A module is a .c with its .h.
for room in analyze convert db cmd record; do
	is "no modules of $room/ include each other in a circle" \
		"$(sed 's/\.[ch]\>//g' "$edges" | awk -v room="^$room/" '$1 != $2 && $1 ~ room && $2 ~ room' | circles)" ""
done
is "no headers include each other in a cycle" "$(cycles <"$edges")" ""

# The same for symbols: an object needs another when it uses a function or table that the other defines.
needs() {	# objects
	nm -A -g "$@" 2>/dev/null | sed 's/:/ /' | awk '
		$(NF-1) ~ /^[TDBRVWC]$/ { at[$NF] = $1 }
		$(NF-1) == "U" { n++; who[n] = $1; what[n] = $NF }
		END { for (i = 1; i <= n; i++) if (what[i] in at && at[what[i]] != who[i]) print who[i], at[what[i]] }' | sort -u
}
objects() { find "$1" -name '*.c' | sort | sed "s|^|$B/|; s|c\$|o|" | while read -r o; do [ -e "$o" ] && echo "$o"; done; }
for room in analyze convert db cmd record; do
	is "no files of $room/ need each other in a cycle" \
		"$(needs $(objects "$room") | sed "s|$B/||g" | cycles)" ""
done
# Nor does an object of record/ need one of a later folder, but through the table of functions that lower files call.
is "no file of record/ needs a function of a later folder" "$(needs $(objects record) | sed "s|$B/||g" | awk -v order="$record" '
	function floor(file, part) { split(file, part, "/"); return at[part[2]] }
	BEGIN { n = split(order, folder, " "); for (i = 1; i <= n; i++) at[folder[i]] = i }
	floor($1) && floor($2) > floor($1) { print $1 " needs " $2 }')" ""
# A file includes the header of each function that it uses: itself, or through its own header. Those of base.h and of the recorder's
# tau.h are for all files.
quoted $(cat "$T/sources") >"$T/direct"
uses_unseen() {	# folder, pattern of the files whose headers count
	nm -A -u $(objects "$1") $([ "$1" = record ] && find "$B/wrap" -name '*.o') 2>/dev/null |
		sed "s|^$B/||; s|^wrap/|record/&|; s|\.o:.* U |.c |" >"$T/undefined"
	awk '
		FILENAME == ARGV[ARGC - 1] {
			if (!($2 in heads) || !(($1, $2) in word)) next
			n = split(heads[$2], h, " ")
			own = $1
			sub(/c$/, "h", own)
			for (i = 1; i <= n; i++)
				if (($1, h[i]) in direct || h[i] == own || (($1, own) in direct && (own, h[i]) in direct)) next
			print $1 ": " $2 "() is declared in " h[1]
			next
		}
		FILENAME == ARGV[1] { direct[$1, $2] = 1; next }
		FILENAME ~ /h$/ {
			if (FILENAME ~ /^(analyze\/base\/base|record\/tau)\.h$/ || !/^[a-z].*\(/ || !match($0, /[A-Za-z_][A-Za-z_0-9]*\(/)) next
			name = substr($0, RSTART, RLENGTH - 1)
			heads[name] = heads[name] " " FILENAME
			next
		}
		{
			line = $0
			while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
				word[FILENAME, substr(line, RSTART, RLENGTH)] = 1
				line = substr(line, RSTART + RLENGTH)
			}
		}' "$T/direct" $(grep '\.h$' "$T/sources" | grep -E "$2") $(grep "^$1/.*\.c$" "$T/sources") "$T/undefined"
}
for folder in analyze convert db cmd; do
	is "the files of $folder/ include the headers of the functions that they use" "$(uses_unseen $folder '^[^r]')" ""
done
is "the files of record/ include the headers of the functions that they use" "$(uses_unseen record '^record/')" ""

# System headers of libraries stay in their room.
system() { grep -rlE "#[ \t]*include[ \t]*<($1)" --include='*.[ch]' analyze convert db cmd record 2>/dev/null | grep -v "^$2/"; }
is "sqlite is known to db only" "$(system 'sqlite3\.h>' db)" ""
is "elfutils, libxml2 and OTF2 are known to convert only" \
	"$(system 'elfutils/|libelf|gelf|dwarf|libdw|libxml/|otf2/' convert)" ""
is "zlib is known to convert, and to the one file that loads it while recording" \
	"$(system 'zlib\.h>' convert | grep -v '^record/encode/deflate\.c$')" ""
is "mpi.h and shmem.h are known to wrappers only, and to what reads in parallel" \
	"$(system 'mpi\.h>|shmem\.h>|shmemx\.h>' record/wrap | grep -v '^convert/mpi/')" ""

# What files name reaches a terminal through one function only.
is "messages of the offline programs are printed by message_print()" \
	"$(grep -lE '\<fprintf\(stderr|put(s|c)\(.*stderr' $(find cmd -name '*.c') | grep -v '^cmd/shared/progress\.c$')" \
	"cmd/shared/message.c"

# Prints, ends the program or reads files: the symbols that objects of each library may not ask for. base.o ends
# the program when memory runs out, with one line.
asks() { nm -u "$1" 2>/dev/null | awk -v no="^($2)\$" '/:$/ { o = $1 } $1 == "U" && $2 ~ no { print o " " $2 }'; }
prints='printf|vprintf|puts|putchar|perror|warn|warnx|err|errx|stdout|stderr|__printf_chk|exit|_exit|abort'
files='fopen|fopen64|open|open64|openat|read|write|fread|fwrite|fprintf|fputs|fputc|mmap|mmap64|opendir|getenv|system|popen'
is "analyze neither prints, ends, nor touches files" \
	"$(asks "$B/libanalyze.a" "$prints|$files" | grep -v '^base\.o:')" ""
for l in convert db; do
	is "$l neither prints nor ends the program" "$(asks "$B/lib$l.a" "$prints")" ""
done

# What enters the measured process: libc, the loader, and our own.
for so in "$B"/libtau.so "$B"/libtau-*.so; do
	if [ ! -e "$so" ]; then
		fail "$(basename "$so") is built"
		continue
	fi
	is "$(basename "$so") needs nothing but libc" \
		"$(readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so\.6|ld-linux.*|libtau\.so)$')" ""
	is "$(basename "$so") needs no writable code and no executable stack" \
		"$(readelf -d "$so" | grep -c TEXTREL) $(readelf -lW "$so" | awk '$1 == "GNU_STACK" { print $7 }')" "0 RW"
done

# Private names stay private: a name that the application has too would be taken for ours. A wrapper exports the functions that it
# wraps, and nothing else.
shown() {
	case $1 in
	# The recorder wraps functions that leave frames without their leaves, and those that restrict system calls, and mlockall().
	libtau.so) echo '^(tau_|Tau_|__cyg_profile_func_(enter|exit)$|(_|sig|__)?longjmp(_chk)?$|(set|swap)context$|clone$|_Fork$|chroot$|mlockall$|dlclose$|prctl$|pthread_setname_np$|syscall$|__cxa_begin_catch$)' ;;
	libtau-mpi.so) echo '^(tau_mpi_variables$|Tau_(dis|en)able_tracking_mpi_t$|Tau_track_mpi_t_here$|P?MPIX?_|p?mpix?_|ompi_.*_f$)' ;;
	libtau-shmem.so) echo '^(p?shmemx?_|start_pes|num_pes|my_pe|_num_pes|_my_pe|globalexit|sh(malloc|free|realloc|memalign)$)' ;;
	libtau-memory.so) echo '^(malloc|calloc|realloc(array)?|free|memalign|posix_memalign|aligned_alloc|p?valloc|v?asprintf|__v?asprintf_chk|strn?dup|__strn?dup|dlclose|mmap(64)?|mremap|munmap|s?brk|shm(at|dt)|tau_mapped_piece|(opal|pmix)_class_initialize|_Z(n[wa]m|d[la]P).*)$' ;;
	libtau-null.so) echo '^getppid$' ;;
	libtau-io.so | libtau-pthread.so | libtau-process.so) rows "${1#libtau-}" ;;
	*) echo '.' ;;
	esac
}
# Names that the list of a wrapper has a row for, and the few that have none because they are no regions.
rows() {
	names=$(sed -nE '/^(group|after|skip|#)/d; s/^(own )?[^(]*[ *]([A-Za-z_0-9]+)\(.*/\2/p' "record/wrap/${1%.so}.list")
	echo "^($(printf '%s' "$names" | tr '\n' '|')|_Exit|pclose|closefrom|close_range|syscall)\$"
}
for so in "$B"/libtau.so "$B"/libtau-*.so; do
	so=$(basename "$so")
	is "$so shows the application only what it must" \
		"$(nm -D --defined-only "$B/$so" | awk '$2 ~ /[TWDBRVi]/ { print $3 }' | grep -vE "$(shown "$so")" | head -n 10)" ""
done
tap_end
