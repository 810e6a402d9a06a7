#!/bin/sh
# c_interface.sh SOURCE LIBRARY CC CXX: taut/taut_c.h, libtaut_c, the map of its symbols, docs/c.md and the Julia example tell
# of the same functions, the header is plain C and C++, and nothing else is seen of the library.
set -eu
source=$1
library=$2
cc=$3
cxx=$4
house=$source/tests/house
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
bad=0

# same WHAT FILE: the sorted names in the file are those of the header.
same() {
  if ! diff "$scratch/header" "$2" >"$scratch/differ"; then
    printf '%s: other functions than taut/taut_c.h (<)\n' "$1"
    cat "$scratch/differ"
    bad=1
  fi
}

awk -f "$house/c_functions.awk" "$source/taut/taut_c.h" | LC_ALL=C sort >"$scratch/functions"
cut -d ' ' -f 1 "$scratch/functions" >"$scratch/header"
if grep '?' "$scratch/functions"; then
  echo 'taut/taut_c.h: a type that c_functions.awk does not know'
  bad=1
fi
[ "$(wc -l <"$scratch/header")" -gt 40 ]

# What is seen from outside: the functions, each with the version that the map gives it, and the versions themselves.
nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^TAUT_[0-9.]+$' | LC_ALL=C sort >"$scratch/symbols"
sed 's/@@.*//' "$scratch/symbols" >"$scratch/exported"
same "$library" "$scratch/exported"
awk '/^TAUT_/ { version = $1 } /^ *taut_[a-z_]+;$/ { sub(/;/, ""); print $1 "@@" version }' "$source/cmake/taut_c.map" |
  LC_ALL=C sort >"$scratch/mapped"
if ! diff "$scratch/mapped" "$scratch/symbols"; then
  echo 'cmake/taut_c.map (<): other versions than in the library'
  bad=1
fi
newest=$(sed -n 's/^TAUT_\([0-9.]*\) {$/\1/p' "$source/cmake/taut_c.map" | tail -n 1)
named=$(sed -n 's/^#define TAUT_C_VERSION_M[AJIN]*OR \([0-9]*\)$/\1/p' "$source/taut/taut_c.h" | paste -s -d .)
if [ "$newest" != "$named" ]; then
  echo "taut/taut_c.h: TAUT_C_VERSION is $named, the newest functions of cmake/taut_c.map are of $newest"
  bad=1
fi

# Plain C and C++.
for standard in c99 c11 c17; do
  "$cc" -std=$standard -pedantic -Wall -Wextra -Wconversion -Wstrict-prototypes -Werror -fsyntax-only -x c "$source/taut/taut_c.h" || bad=1
done
for standard in c++11 c++20; do
  "$cxx" -std=$standard -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only -x c++ "$source/taut/taut_c.h" || bad=1
done

# The page lists every function, and the constants with their numbers.
grep -oE '`taut_[a-z_]+\(' "$source/docs/c.md" | tr -d '`(' | LC_ALL=C sort -u >"$scratch/page"
same docs/c.md "$scratch/page"

# Calls from Julia and constants of MATLAB.
awk -f "$house/julia_calls.awk" "$source/examples/julia/taut.jl" | LC_ALL=C sort -u >"$scratch/julia"
[ "$(wc -l <"$scratch/julia")" -gt 8 ]
if LC_ALL=C comm -23 "$scratch/julia" "$scratch/functions" | grep .; then
  echo 'examples/julia/taut.jl: these calls do not have the types of taut/taut_c.h (c_functions.awk lists the letters)'
  bad=1
fi
exit $bad
