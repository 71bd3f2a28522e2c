# deps.sh: tests/deps.sh against a made-up system: silent when nothing is missing, installs through apt when it may, otherwise
# prints what to type, and fails only for what the build needs.
. "$(dirname "$0")/../tap.sh"

# Programs of the made-up system. LACKS: packages not installed; apt-get installs by emptying that file.
mkdir "$T/bin"
PATH=$T/bin:$PATH
export T
command_is() { cat >"$T/bin/$1" && chmod +x "$T/bin/$1"; }
command_is dpkg-query <<-'END'
	#!/bin/sh
	for name; do :; done
	grep -qx "$name" "$T/lacks" && exit 1
	printf installed
END
command_is apt-get <<-'END'
	#!/bin/sh
	echo "$*" >>"$T/apt"
	[ -e "$T/offline" ] && exit 100
	case $* in *install*) : >"$T/lacks" ;; esac
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

deps --list
is "every row has a need, a package and a reason" "$(awk 'NF < 3 || $1 !~ /^(build|test|bench|torture)$/' "$T/out")" ""
is "no package stands twice" "$(awk '{ print $2 }' "$T/out" | sort | uniq -d)" ""
tap_end
