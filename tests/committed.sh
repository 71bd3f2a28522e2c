#!/bin/sh
# committed.sh FOLDER: puts what is committed into FOLDER. What was put there before and has not changed since keeps its time, so that a
# build in FOLDER goes on; what was removed since is removed. If a makefile has changed, all starts again.
set -e
cd "$(dirname "$0")/.."
tree=${1:?name a folder}
if [ -s "$tree/.commit" ] && old=$(git rev-parse -q --verify "$(cat "$tree/.commit")^{commit}") &&
	git diff --quiet "$old" HEAD -- Makefile fixtures/apps/apps.mk; then
	git diff -z --name-only --no-renames --diff-filter=D "$old" HEAD | (cd "$tree" && xargs -0r rm -f --)
	git diff -z --name-only --no-renames --diff-filter=d "$old" HEAD >"$tree/.changed"
	[ ! -s "$tree/.changed" ] || git archive HEAD | tar x -m -C "$tree" --null -T "$tree/.changed"
else
	rm -rf "$tree" && mkdir -p "$tree"
	git archive HEAD | tar x -C "$tree"
fi
git rev-parse HEAD >"$tree/.commit"
