#!/bin/sh
# octave.sh SOURCE BUILD LIBRARY PROGRAM OCTAVE: builds taut_mex with build_taut.m, as a user would against an installed taut,
# and runs matlab/tests.
set -eu
source=$1
build=$2
library=$3
program=$4
octave=$5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$scratch/prefix/include/taut" "$scratch/prefix/lib/pkgconfig"
cp "$source/taut/taut_c.h" "$scratch/prefix/include/taut/"
ln -s "$library" "$scratch/prefix/lib/libtaut_c.so"
ln -s "$library" "$scratch/prefix/lib/libtaut_c.so.0"
sed 's/^includedir=.*/includedir=${pcfiledir}\/..\/..\/include/' "$build/taut-c.pc" >"$scratch/prefix/lib/pkgconfig/taut-c.pc"
cp -R "$source/matlab" "$scratch/matlab"
cd "$scratch"

octave() {
  "$octave" --no-gui --norc --no-history --eval "warning('off', 'Octave:shadowed-function'); addpath('$scratch/matlab'); $1"
}
if octave "build_taut('$scratch/nowhere')" >said 2>&1; then exit 1; fi
grep -q 'there is no lib/libtaut_c below' said
octave "build_taut('$scratch/prefix')"
TAUT_MODELS=$source/models TAUT_PROGRAM=$program octave "addpath('$scratch/matlab/tests'); run_tests"

# By pkg-config it is built as well.
rm "$scratch/matlab/taut_mex.mex"
PKG_CONFIG_PATH=$scratch/prefix/lib/pkgconfig octave "build_taut; printf('%s\n', taut.version())"

# The page does what it says.
awk -v script="$scratch/page.m" -v shown="$scratch/shown" -f "$source/tests/matlab/page.awk" "$source/docs/matlab.md"
ln -s "$source/models" models
octave "source('$scratch/page.m')" >printed
awk -v shown="$scratch/shown" -f "$source/tests/house/page_prints.awk" printed || {
  printf -- '--- docs/matlab.md shows\n'
  cat shown
  printf -- '--- printed now\n'
  cat printed
  exit 1
}
