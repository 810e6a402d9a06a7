#!/bin/sh
# install.sh SOURCE BUILD COMPILER: installs taut into a scratch folder, then builds and runs a project outside the tree
# against it, by find_package(taut) alone.
set -eu
source=$1
build=$2
compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log"
"$scratch/prefix/bin/taut" --version

# A copy, so that nothing of the source tree is in reach by a relative path.
cp -R "$source/tests/house/consumer" "$scratch/consumer"
cmake -G Ninja -S "$scratch/consumer" -B "$scratch/consumer-build" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
cmake --build "$scratch/consumer-build"
"$scratch/consumer-build/consumer"
