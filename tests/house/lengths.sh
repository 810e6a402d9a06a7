#!/bin/sh
# lengths.sh SOURCE: no source file is longer than 400 lines.
set -eu
cd "$1"

set -- dev
for folder in taut apps bench tests python viewer cmake docs; do
  if [ -d "$folder" ]; then set -- "$@" "$folder"; fi
done
find "$@" -type d -name node_modules -prune -o -type f \( -name dev -o -name '*.h' -o -name '*.cpp' -o -name '*.cu' \
  -o -name '*.py' -o -name '*.ts' -o -name '*.sh' -o -name '*.awk' -o -name '*.cmake' -o -name CMakeLists.txt \) \
  -exec awk '
  FNR == 401 {
    printf "%s: longer than 400 lines: split it\n", FILENAME
    bad = 1
  }
  END { exit bad }
' {} +
