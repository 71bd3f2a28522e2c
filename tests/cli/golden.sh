# golden.sh: runs, archives and databases of each version of the trace format are read as before; readers refuse another major version
# in one sentence, and report a newer minor version.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
golden=$TOP/fixtures/golden
number() { sed -n "s/^#define TAU_VERSION_$1[ \t]*\([0-9]*\).*/\1/p" "$TOP/record/format.h"; }
major=$(number MAJOR) minor=$(number MINOR)

parts="ranks threads archive store"
linked tau-convert libopen-trace-format2 || { parts="ranks threads store"; skip "archives" "built without the OTF2 library"; }

# Each version, from 0 on, has its files.
versions=$(seq -f "$major.%.0f" 0 "$minor")
is "there are golden files of each version" "$(ls "$golden" | sed -n 's/\.tar\.xz$//p' | sort -t . -k 2n)" "$versions"
for v in $versions; do
	mkdir "$v"
	tar -xJf "$golden/$v.tar.xz" -C "$v" || { fail "$v is unpacked"; continue; }
	is "$v: its traces have that version" "$(for f in "$v"/*/*.tau; do od -An -t u2 -j 8 -N 4 "$f"; done |
		awk '{ print $1 "." $2 }' | sort -u)" "$v"
	is "$v: nothing is damaged" "$(for run in ranks threads; do tau-dump --check "$v/$run" 2>&1; done | grep -v '\.tau: ok: ')" ""
	case $parts in *archive*) ;; *) rm -rf "$v/archive" ;; esac
	sh "$golden/outcome.sh" "$v" >"$v.got" 2>"$v.messages" || { fail "$v: tools fail"; sed 's/^/#   /' "$v.messages"; }
	for part in $parts; do
		grep "^$part" "$golden/$v.want" >want
		ok "$v: something is wanted of $part" test -s want
		is "$v: what is read of $part is as before" "$(grep "^$part" "$v.got" | diff want -)" ""
	done
done

# ---- versions to come ----
# version FILE MAJOR MINOR: its header has that version, and the checksum for it
version() {
	python3 - "$@" <<-'END'
		import struct, sys, zlib
		path, major, minor = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
		with open(path, "r+b") as f:
		    head = bytearray(f.read(64))
		    head[8:12] = struct.pack("<HH", major, minor)
		    head[60:64] = struct.pack("<I", zlib.crc32(bytes(head[:60])))
		    f.seek(0)
		    f.write(head)
	END
}
# outcome: of the run in later/threads
outcome() { tau-trace2profile --format csv later/threads 2>said; }
mkdir later
cp -r "$major.$minor/threads" later/threads
tau-trace2profile --format csv later/threads >now.csv 2>/dev/null
for f in later/threads/*.tau; do version "$f" "$major" 250; done
is "a newer minor version is read" "$(outcome | cksum)" "$(cksum <now.csv)"
is "with a note" "$(grep -c "^tau-trace2profile: a later version recorded the run (trace version $major\.250; this program reads $major\.$minor): what is new since is not included$" said)" 1
for f in later/threads/*.tau; do version "$f" $((major + 1)) 0; done
outcome >/dev/null
is "another major version is an input that cannot be read" $? 3
like "in one sentence" "$(cat said)" \
	"^tau-trace2profile: later/threads/.*\.tau: trace version $((major + 1))\.0; this program reads version $major: use the newer programs$"
is "and no other" "$(wc -l <said)" 1
for tool in "tau-report" "tau-dump" "tau-convert --to csv" "tau-db import --db no.db"; do
	like "by $tool, too" "$($tool later/threads $([ "${tool#*csv}" = "$tool" ] || echo out.csv) 2>&1 >/dev/null)" \
		"^${tool%% *}.*: .*\.tau: trace version $((major + 1))\.0; this program reads version $major: use the newer programs$"
done
tap_end
