#!/bin/sh
# rooms.sh SOURCE: includes point only upwards in the order of rooms. A file in taut/X includes files of X and of the
# rooms listed before X, always by the full name "taut/room/file.h".
set -eu
cd "$1"

find taut -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -exec awk '
  BEGIN {
    count = split("base solve model forces formulation dynamics integrate analysis control run sweep batch", order, " ")
    for (i = 1; i <= count; i++) rank[order[i]] = i
  }
  function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
  }
  FNR == 1 {
    split(FILENAME, part, "/")
    room = part[2]
    if (!(room in rank)) complain("\"" room "\" is not a room; the rooms are listed in this test")
  }
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    if (split(quoted[2], part, "/") < 3 || part[1] != "taut") {
      complain("include \"" quoted[2] "\": write the full name, \"taut/room/file.h\"")
    } else if (!(part[2] in rank)) {
      complain("include \"" quoted[2] "\": there is no room \"" part[2] "\"")
    } else if (room in rank && rank[part[2]] > rank[room]) {
      complain("include \"" quoted[2] "\": room \"" room "\" comes before \"" part[2] "\"")
    }
  }
  /^[ \t]*#[ \t]*include[ \t]*<taut\// { complain("write #include \"taut/...\" with quotation marks") }
  END { exit bad }
' {} +
