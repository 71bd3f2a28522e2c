# deps.sh: tests/deps.sh against a made-up system: silent when nothing is missing, installs through apt when it may, otherwise
# prints what to type, and fails only for what the build needs.
. "$(dirname "$0")/../tap.sh"

# Programs of the made-up system. lacks: packages not installed, from which apt-get removes what it
# installs; unknown: those that apt does not know.
mkdir "$T/bin"
PATH=$T/bin:$PATH
export T
command_is() { cat >"$T/bin/$1" && chmod +x "$T/bin/$1"; }
command_is dpkg-query <<-'END'
	#!/bin/sh
	shift 3
	for name; do echo "$name"; done | grep -vxFf "$T/lacks" | sed 's/$/ installed/'
END
command_is apt-get <<-'END'
	#!/bin/sh
	echo "$*" >>"$T/apt"
	[ -e "$T/offline" ] && exit 100
	case $* in *install*no-such*) exit 100 ;; esac
	case $* in *install*)
		for name; do sed -i "/^$name\$/d" "$T/lacks"; done ;;
	esac
END
command_is apt-cache <<-'END'
	#!/bin/sh
	grep -qx "$2" "$T/unknown" || echo "$2:"
END
command_is id <<-'END'
	#!/bin/sh
	cat "$T/uid"
END
command_is sudo <<-'END'
	#!/bin/sh
	[ -e "$T/sudo-asks" ] && exit 1
	shift
	exec "$@"
END

system_is() {	# uid, packages lacking
	echo "$1" >"$T/uid"
	shift
	: >"$T/unknown"
	rm -f "$T/apt" "$T/offline" "$T/sudo-asks"
	printf '%s\n' "$@" >"$T/lacks"
}
deps() { sh "$TOP/tests/deps.sh" "$@" >"$T/out" 2>"$T/err" </dev/null; code=$?; }

system_is 0
deps
is "silent when nothing is missing" "$code $(cat "$T/out" "$T/err")" "0 "
ok "and apt is not asked" test ! -e "$T/apt"

system_is 0 uftrace
deps
is "root installs what is missing" "$code $(grep -c 'install.* uftrace' "$T/apt")" "0 1"
system_is 1000 zlib1g-dev mandoc
deps
is "with sudo, too, all in one go" "$code $(grep -c 'install.* zlib1g-dev mandoc' "$T/apt")" "0 1"

system_is 1000 mandoc
touch "$T/sudo-asks"
deps
is "sudo that asks for a password is not used" "$([ -e "$T/apt" ] && cat "$T/apt")" ""
like "the line to type is printed" "$(cat "$T/err")" 'apt-get install mandoc'
is "what only a test needs does not stop the build" "$code" 0
system_is 1000 gcc
touch "$T/sudo-asks"
deps
is "what the build needs does" "$code" 4
like "and is named" "$(cat "$T/err")" 'the build needs: gcc'

system_is 0 gcc
touch "$T/offline"
deps
is "an apt that fails is reported" "$code" 4
is "after the lists were fetched once" "$(grep -c update "$T/apt")" 1

system_is 0 uftrace mandoc
deps build
is "only what is asked for is looked at" "$code $([ -e "$T/apt" ] && cat "$T/apt")" "0 "
deps test
is "mandoc belongs to the tests" "$(cat "$T/lacks")" uftrace
deps tests
like "an unknown need is refused" "$code $(cat "$T/err")" "^2 deps.sh: 'tests' is no option and no need"

system_is 0 libomp5-14 libomp5-19 libomp5
echo libomp5-14 >"$T/unknown"
deps
is "of several names the first in apt's lists is installed" "$(grep -o 'libomp5.*' "$T/apt")" libomp5-19

system_is 0 gcc mandoc uftrace
sed -i 's/\*install\*no-such\*/*install*mandoc*/' "$T/bin/apt-get"
deps
is "one package that cannot be installed does not keep the others away" "$code $(tr '\n' ' ' <"$T/lacks")" "0 mandoc "
like "and is named" "$(cat "$T/err")" 'deps.sh: mandoc cannot be installed'

deps --list
is "every row has a need, a package and a reason" "$(awk 'NF < 3 || $1 !~ /^(build|test|bench|torture)$/' "$T/out")" ""
is "no package stands twice" "$(awk '{ print $2 }' "$T/out" | sort | uniq -d)" ""

# What make finds of the optional libraries, where the compiler finds no header and pkg-config is not installed.
is "a library whose header is absent is not found" "$(make -C "$TOP" -np CC='cc -nostdinc' PKG_CONFIG=false B="$T/none" help 2>/dev/null |
	grep -E '^(OTF2|CURSES|HTTPD) :=' | sort | tr -d '\n')" "CURSES := HTTPD := OTF2 := "
tap_end
