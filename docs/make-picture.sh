#!/bin/sh
# make-picture.sh MODEL RUN TIME: draws the structure of the model file MODEL as it was at TIME in the run folder RUN
# (written by `taut run MODEL -o RUN --csv`) as SVG on standard output: bars dark, cables coloured by tension, and behind
# each node the way it came. MODEL must list its bars ([[bars]] with nodes or pairs).
set -eu
if [ $# -ne 3 ]; then
  echo "usage: make-picture.sh MODEL RUN TIME" >&2
  exit 2
fi

awk -F, -v model="$1" -v time="$3" -f "$(dirname "$0")/make-picture.awk" "$2/nodes.csv" "$2/cables.csv"
