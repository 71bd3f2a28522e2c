#!/bin/sh
# install.sh: puts files where a list says, and takes the same away: one list for both.
#
#   install.sh install|uninstall DESTDIR PREFIX LIBDIR WORD...
#
# WORD is MODE:SOURCE:PLACE. MODE is that of install(1); "link" (SOURCE is the text of a symbolic link), "page" (a manual page,
# compressed), or "fill" (a template: @PREFIX@, @LIBDIR@, @VERSION@, and @UP@, the way from the file's folder to PREFIX). PLACE is below
# PREFIX, or below LIBDIR if it begins with "lib/" ("./lib/" is below PREFIX). STRIP, if set, is a command that strips programs, libraries and archives.
act=$1 destdir=$2 prefix=$3 libdir=$4
shift 4

# The way from a folder to another, ../../..
way() { realpath -ms --relative-to="$1" "$2"; }

put() {	# mode, source, file
	case $1 in
	link) ln -sfn "$2" "$destdir$3" ;;
	page) gzip -9nc "$2" >"$destdir$3" && chmod 644 "$destdir$3" ;;
	fill)
		sed "s|@PREFIX@|$prefix|g; s|@LIBDIR@|$libdir|g; s|@VERSION@|$VERSION|g; s|@UP@|$(way "${3%/*}" "$prefix")|g
			s|@LIB@|$(way "$prefix" "$libdir")|g" "$2" >"$destdir$3" && chmod 644 "$destdir$3"
		;;
	*)
		install -m "$1" "$2" "$destdir$3" || return
		case ${STRIP:+$2} in
		*.so | *.so.*) $STRIP --strip-unneeded "$destdir$3" ;;
		*.a) $STRIP -g "$destdir$3" ;;
		*/tau-*) [ "$1" != 755 ] || $STRIP "$destdir$3" ;;
		esac
		;;
	esac
}

# Folders that are empty now, but never PREFIX itself.
take_folder() {
	folder=$1
	while [ "$folder" != "$prefix" ] && [ "$folder" != "${prefix%/*}" ] && [ "$folder" != / ]; do
		rmdir "$destdir$folder" 2>/dev/null || return 0
		folder=${folder%/*}
	done
}

for word; do
	mode=${word%%:*} rest=${word#*:}
	source=${rest%%:*} place=${rest#*:}
	case $place in
	lib/*) file=$libdir/${place#lib/} ;;
	./*) file=$prefix/${place#./} ;;
	*) file=$prefix/$place ;;
	esac
	case $mode in page) file=$file.gz ;; esac
	if [ "$act" = install ]; then
		mkdir -p "$destdir${file%/*}" && put "$mode" "$source" "$file" || exit 1
	else
		rm -f "$destdir$file" || exit 1
		take_folder "${file%/*}"
	fi
done
