#!/bin/sh
# public_headers.sh SOURCE: cmake/public_headers.cmake names taut/taut.h and what it includes, no more and no less, and none
# of them includes more than Eigen and the standard library.
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

echo taut/taut.h >"$scratch/todo"
: >"$scratch/found"
while [ -s "$scratch/todo" ]; do
  sort -u "$scratch/todo" | comm -23 - "$scratch/found" >"$scratch/new"
  sort -u "$scratch/found" "$scratch/new" >"$scratch/both"
  mv "$scratch/both" "$scratch/found"
  if [ -s "$scratch/new" ]; then
    xargs sed -n 's/^#include "\([^"]*\)".*/\1/p' <"$scratch/new" >"$scratch/todo"
  else
    : >"$scratch/todo"
  fi
done
sed -n 's/^ *\(taut\/.*\.h\)$/\1/p' cmake/public_headers.cmake | sort >"$scratch/named"
bad=0
for header in $(comm -23 "$scratch/found" "$scratch/named"); do
  echo "cmake/public_headers.cmake: $header is included by taut/taut.h, and missing here"
  bad=1
done
for header in $(comm -13 "$scratch/found" "$scratch/named"); do
  echo "cmake/public_headers.cmake: $header is not needed by taut/taut.h"
  bad=1
done
if xargs grep -nE '^#include <[a-zA-Z_]+(/|\.h)' <"$scratch/found" | grep -v '<Eigen/'; then
  echo "a public header may include Eigen and the standard library only"
  bad=1
fi
exit $bad
