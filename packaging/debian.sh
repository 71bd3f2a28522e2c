#!/bin/sh
# debian.sh FOLDER: makes Debian packages, and a source package, of what is committed, in FOLDER. Needs dpkg-dev and debhelper; for each
# missing package dpkg-buildpackage names it.
set -e
out=${1:?name a folder for the packages}
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
version=$(sed -n 's/^.define TAU_VERSION "\(.*\)"/\1/p' "$top/cmd/shared/version.h")
mkdir -p "$out"
tree=$out/tau-tools-$version
rm -rf "$tree"
git -C "$top" archive --prefix="tau-tools-$version/" HEAD | tar x -C "$out"
tar cz -C "$out" -f "$out/tau-tools_$version.orig.tar.gz" --sort=name --mtime=@0 "tau-tools-$version"
cp -r "$tree/packaging/debian" "$tree/debian"
cd "$tree"
dpkg-buildpackage -us -uc
