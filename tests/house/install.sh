#!/bin/sh
# install.sh SOURCE BUILD COMPILER: installs taut into a scratch folder, then uses it from outside the tree: every header
# compiles alone, the examples are built by find_package(taut) and run, and one of them by pkg-config.
set -eu
source=$1
build=$2
compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log"
"$scratch/prefix/bin/taut" --version

# No processor of ours is exported.
if grep -rn -e '-march' "$scratch/prefix/lib"*/cmake "$scratch"/prefix/lib*/pkgconfig; then
  echo "the installed files ask for a -march"
  exit 1
fi

# Each header alone, with Eigen and the standard library only.
export compiler
flags="-std=c++20 -fsyntax-only -I$scratch/prefix/include $(pkg-config --cflags eigen3)"
export flags
# shellcheck disable=SC2016 # expanded by the inner shell
(cd "$scratch/prefix/include" && find taut -name '*.h') | xargs -P "$(nproc)" -I '{}' \
  sh -c 'echo "#include <{}>" | "$compiler" $flags -x c++ - || { echo "{} does not compile alone"; exit 255; }'
if grep -rnE '#include *<(fmt|toml|nlohmann|CLI|tbb|cvode|sundials|hdf5|mpi|zlib)' "$scratch/prefix/include"; then
  echo "a public header needs more than Eigen"
  exit 1
fi

# A copy, so that nothing of the source tree is in reach by a relative path.
cp -R "$source/examples" "$scratch/examples"
cd "$scratch/examples"
cmake -G Ninja -S . -B "$scratch/built" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Debug
cmake --build "$scratch/built"
"$scratch/built/run_file" prism.toml
"$scratch/built/build_model" >"$scratch/swing.txt"
"$scratch/built/step_with_control"
"$scratch/built/statics"
"$scratch/built/modes"
"$scratch/built/batch" prism.toml
"$scratch/built/sweep" sweep.toml

# What the page shows is in the example.
sed -n '/^```cpp/,/^```$/p' "$source/docs/cpp.md" | grep -v '^```' | while IFS= read -r line; do
  grep -qxF -- "$line" step_with_control.cpp || {
    printf 'docs/cpp.md shows a line that the example has not: %s\n' "$line"
    exit 1
  }
done

# The C library alone, found by CMake without C++ and by pkg-config.
cmake -G Ninja -S c -B "$scratch/built_c" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_C_FLAGS='-std=c99 -pedantic -Wall -Wextra -Werror'
cmake --build "$scratch/built_c"
"$scratch/built_c/step_with_control" >"$scratch/printed"
"$scratch/built_c/run_file" prism.toml
sed -n '/^```c$/,/^```$/p' "$source/docs/c.md" | grep -v '^```' | diff - c/step_with_control.c || {
  echo 'docs/c.md shows another program than examples/c/step_with_control.c'
  exit 1
}
sed -n '/^```text$/,/^```$/p' "$source/docs/c.md" | grep -v '^```' | diff - "$scratch/printed"

# By pkg-config alone, and a model with a mistake in it.
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name taut.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are words
"$compiler" -std=c++20 run_file.cpp $(pkg-config --cflags --libs taut) -o "$scratch/by_pkg_config"
"$scratch/by_pkg_config" prism.toml
printf '[generate]\nkind = "prims"\n' >wrong.toml
if "$scratch/by_pkg_config" wrong.toml; then exit 1; fi
# shellcheck disable=SC2046 # flags are words
cc -std=c99 c/run_file.c $(pkg-config --cflags --libs taut-c) -Wl,-rpath,"$(pkg-config --variable=libdir taut-c)" -o "$scratch/c_by_pkg_config"
"$scratch/c_by_pkg_config" prism.toml
if "$scratch/c_by_pkg_config" wrong.toml; then exit 1; fi
