#!/bin/sh
# self_test.sh SOURCE: the house tests themselves. Each must pass on a small sound tree and fail, naming the place, when
# the tree is broken on purpose.
set -eu
source=$1
house=$source/tests/house
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# passes CHECK ARGUMENT...
passes() {
  if ! sh "$house/$1" "$2" "$3" "$4" >"$scratch/said" 2>&1; then
    printf 'should pass: %s\n' "$*"
    cat "$scratch/said"
    : >"$scratch/failed"
  fi
}

# fails TEXT CHECK ARGUMENT...: the check must fail and say TEXT.
fails() {
  text=$1
  shift
  if sh "$house/$1" "$2" "$3" "$4" >"$scratch/said" 2>&1; then
    printf 'should fail with "%s": %s\n' "$text" "$*"
    : >"$scratch/failed"
  elif ! grep -qF -- "$text" "$scratch/said"; then
    printf 'should say "%s", says:\n' "$text"
    cat "$scratch/said"
    : >"$scratch/failed"
  fi
}

# A sound tree.
tree=$scratch/tree
mkdir -p "$tree/taut/base" "$tree/taut/solve" "$tree/taut/model" "$tree/taut/formulation/multibody" "$tree/taut/run" \
  "$tree/taut/integrate" "$tree/apps/taut" "$tree/bench" "$tree/models" "$tree/tests"
ln -s "$house" "$tree/tests/house"
printf '#include <vector>\n' >"$tree/taut/base/types.h"
printf '#include "taut/base/types.h"\n' >"$tree/taut/solve/saddle.h"
printf '#include "taut/base/types.h"\n#include "taut/model/model.h"\n' >"$tree/taut/model/model.h"
printf '#include "taut/model/model.h"\nstatic_cast<const Multibody&>(f), is_mechanism(model);\n' \
  >"$tree/taut/formulation/multibody/tree.h"
printf 'int n = static_cast<int>(Nodal(model).size()); double p = static_cast<double>(formulation);\n' \
  >"$tree/taut/model/casts.cpp"
printf '#include <cvode/cvode.h>\n#include <sunmatrix/sunmatrix_dense.h>\n' >"$tree/taut/integrate/cvode.cpp"
printf '#include <hdf5.h>\n' >"$tree/taut/run/record_hdf5.cpp"
printf '#include "taut/results/hdf5/record_hdf5.h"\n#include <mpirun_settings.h>\n' >"$tree/apps/taut/main.cpp"

mkdir "$tree/taut/c"
printf '#include <stdint.h>\n' >"$tree/taut/taut_c.h"
printf '#include "taut/run/simulate.h"\n#include "taut/taut_c.h"\n' >"$tree/taut/c/run.cpp"
passes rooms.sh "$tree" - -
passes outside_headers.sh "$tree" - -

# broken CHECK TEXT FILE CONTENT: the tree with one more file fails.
broken() {
  mkdir -p "$(dirname "$tree/$3")"
  printf '%b' "$4" >"$tree/$3"
  fails "$2" "$1" "$tree" - -
  rm "$tree/$3"
}
broken rooms.sh 'taut/base/x.h:2: include "taut/model/model.h"' taut/base/x.h '\n#include "taut/model/model.h"\n'
broken rooms.sh 'taut/solve/x.cpp:1:' taut/solve/x.cpp '  # include "taut/formulation/multibody/system/tree.h"\n'
broken rooms.sh 'write the full name' taut/run/x.cpp '#include "record_hdf5.h"\n'
broken rooms.sh 'write the full name' taut/run/x.cpp '#include "../run/record_hdf5.h"\n'
broken rooms.sh 'write the full name' taut/run/x.cpp '#include "taut/taut_c.h"\n'
broken rooms.sh 'taut/run/x.cpp:1:' taut/run/x.cpp '#include "taut/c/handles.h"\n'
broken rooms.sh 'there is no room "cellar"' taut/run/x.cpp '#include "taut/cellar/wine.h"\n'
broken rooms.sh '"attic" is not a room' taut/attic/x.h '// nothing\n'
broken rooms.sh 'quotation marks' taut/run/x.cpp '#include <taut/base/types.h>\n'
rm -r "$tree/taut/attic"
broken rooms.sh 'taut/run/x.cpp:2: a cast to a formulation' taut/run/x.cpp \
  '\nconst auto* m = dynamic_cast<const Multibody*>(&formulation);\n'
broken rooms.sh 'a cast to a formulation' apps/taut/x.cpp 'auto& n = static_cast<const taut::Nodal&>(formulation);\n'
broken rooms.sh 'a cast to a formulation' tests/x.cpp 'dynamic_cast<const RodFormulation<Chart>*>(&formulation);\n'
broken rooms.sh 'a cast to a formulation' bench/x.h 'static_cast<Formulation*>(this)\n'
broken rooms.sh 'is_mechanism' taut/model/x.h 'inline bool is_mechanism(const Model& model);\n'
broken outside_headers.sh 'taut/run/simulate.h:2: <cvode/cvode.h> belongs to SUNDIALS' taut/run/simulate.h \
  '\n#include <cvode/cvode.h>\n'
broken outside_headers.sh 'belongs to SUNDIALS' taut/run/idaho.cpp '#include <nvector/nvector_serial.h>\n'
broken outside_headers.sh 'belongs to HDF5' apps/taut/results.cpp '#include "hdf5.h"\n'
broken outside_headers.sh 'belongs to HDF5' taut/run/x.cpp '#include <H5Cpp.h>\n'
broken outside_headers.sh 'belongs to zlib' taut/run/unzlibbed.cpp '#include <zlib.h>\n'
broken outside_headers.sh 'belongs to MPI' taut/run/compile.cpp '#include <mpi.h>\n'
broken outside_headers.sh 'belongs to CUDA' taut/run/x.cpp '#include <cuda_runtime.h>\n'
broken outside_headers.sh 'belongs to CLI11' apps/taut/command_line.h '#include <CLI/CLI.hpp>\n'

# Pages, with a stand-in for the program.
# shellcheck disable=SC2016 # expanded later, by the stand-in
printf '#!/bin/sh\necho "taut says $1"\necho 0.25 s\n[ "$1" != wrong ] || exit 2\n' >"$scratch/taut"
chmod +x "$scratch/taut"

# page pass | page TEXT, with the page on standard input: it passes, or fails saying TEXT.
page() {
  cat >"$scratch/page.md"
  if [ "$1" = pass ]; then
    passes page.sh "$scratch/page.md" "$tree" "$scratch/taut"
  else
    fails "$1" page.sh "$scratch/page.md" "$tree" "$scratch/taut"
  fi
}
printf '%s\n' '<!-- file sub/a.txt -->' '```toml' 'x = 1' '```' '<!-- runs -->' '```sh' 'grep "x = 1" sub/a.txt' \
  'taut run' '```' '<!-- prints -->' '```text' 'x = 1' '...' '0...s' '```' | page pass
printf '%s\n' '<!-- runs, exit 2 -->' '```sh' 'build/taut wrong' '```' '<!-- not run: a jest -->' '```sh' false '```' |
  page pass
printf '%s\n' '```python' 'print(1)' '```' '<!-- prints -->' '```text' '1' '```' '<!-- runs -->' '```sh' 'taut run' '```' \
  '<!-- prints -->' '```text' 'taut says run' '0.25 s' '```' | page pass
printf '%s\n' '```python' 'x' '```' '<!-- runs -->' '```sh' 'taut run' '```' '<!-- prints -->' '```text' 'no' '```' |
  page 'page.md:9: the block before does not print this'
printf '%s\n' '```py' 'x' '```' | page 'page.md:1: write ```python'
printf '%s\n' 'Text' '```sh' 'taut run' '```' | page 'page.md:2: this ```sh block has no mark'
printf '%s\n' '<!-- runs -->' 'Text' '```sh' 'taut run' '```' | page 'page.md:3: this ```sh block has no mark'
printf '%s\n' '```bash' 'taut run' '```' | page 'write ```sh'
printf '%s\n' '<!-- runs -->' '```sh' 'taut wrong' 'true' '```' | page 'page.md:2: this block ended with exit 2'
printf '%s\n' '<!-- runs, exit 2 -->' '```sh' 'taut run' '```' | page 'ended with exit 0 instead of 2'
printf '%s\n' '<!-- runs -->' '```sh' 'no-such-program' '```' | page 'ended with exit 127'
printf '%s\n' '<!-- runs -->' '```sh' 'taut run' '```' '<!-- prints -->' '```text' 'taut says run' '```' |
  page 'page.md:6: the block before does not print this'
printf '%s\n' '<!-- runs -->' '```sh' 'taut run' '```' '<!-- prints -->' '```text' 'taut says run' '0.26 s' '```' |
  page 'does not print this'
printf '%s\n' '<!-- runs -->' '```sh' 'taut run' '```' '<!-- prints -->' '```text' 'taut says run' '0.251   s' '```' |
  page pass
printf '%s\n' '<!-- runs -->' '```sh' 'taut -3e-17' '```' '<!-- prints -->' '```text' 'taut says 2e-9' '0.25 s' '```' |
  page pass
printf '%s\n' '<!-- runs -->' '```sh' 'taut -3e-5' '```' '<!-- prints -->' '```text' 'taut says 3e-5' '0.25 s' '```' |
  page 'does not print this'
printf '%s\n' '<!-- runs -->' '```sh' 'taut 1.0,2' '```' '<!-- prints -->' '```text' 'taut says 1.0,2,3' '...' '```' |
  page 'does not print this'
printf '%s\n' '<!-- runs -->' '```sh' 'taut run' '```' '<!-- prints -->' '```text' '...' '0.2...6 s' '```' |
  page 'does not print this'

printf '%s\n' 'See [this](page.md) and [that](https://example.org/x), [here](#top).' | page pass
printf '%s\n' 'See [this](page.md) and [that](none.md#top).' | page 'page.md: link to none.md: there is no such file'

[ ! -e "$scratch/failed" ]
