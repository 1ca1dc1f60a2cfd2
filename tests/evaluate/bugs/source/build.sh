#!/bin/sh
# build.sh REPOSITORY FIX FLAGS...: the program as it was before its fix. A mirror of the repositories
# that lies on this machine is named to git: `git config url.<mirror>.insteadOf https://github.com/`.
set -eu
repository=$1 fix=$2
shift 2
[ -d tree ] || git clone -q "$repository" tree
cd tree
git checkout -q "$fix~1"
# shellcheck disable=SC2068
gcc -g -w -o ../app $@ -lm
