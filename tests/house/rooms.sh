#!/bin/sh
# rooms.sh SOURCE: includes point only upwards in the order of rooms. A file in taut/X includes files of X and of the
# rooms listed before X, always by the full name "taut/room/file.h". And outside taut/formulation nobody asks which
# formulation it is: no cast to one, no is_mechanism().
set -eu
cd "$1"

bad=0
find taut -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -exec awk '
  BEGIN {
    count = split("base solve model generators file forces formulation dynamics integrate equilibrium statics form modes design control results run batch report export answers sweep gradient optimise", order, " ")
    for (i = 1; i <= count; i++) rank[order[i]] = i
    rank["taut.h"] = rank["c"] = count + 1 # the public faces see every room
    rank["taut_c.h"] = 0                   # plain C
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
    if (room == "c" && quoted[2] == "taut/taut_c.h") next
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
' {} + || bad=1

find taut apps bench tests -path taut/formulation -prune -o -path tests/house -prune -o -type f \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -exec awk '
  function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
  }
  /(^|[^a-z_])is_mechanism[ \t]*\(/ { complain("is_mechanism: ask has_joints(model) or natural_formulation(model)") }
  /_cast[ \t]*<([^>]*[^A-Za-z_>])?(Formulation|RodFormulation|Nodal|PointMass|Multibody|JointSide|Leapfrog)([^A-Za-z_]|$)/ {
    complain("a cast to a formulation: ask through the seam (taut/formulation/formulation.h)")
  }
  END { exit bad }
' {} + || bad=1
exit "$bad"
