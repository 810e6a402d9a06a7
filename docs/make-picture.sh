#!/bin/sh
# make-picture.sh REPORT PICTURE [OPTIONS]: a picture (PNG) of a report page as a browser shows it. Needs Chromium, Node.js
# and the viewer's packages, which building taut installs. OPTIONS: --size 1280x720, --time SECONDS, --theme light|dark,
# --tab NAME, --click NODE, --press KEYS, --only scene. The picture of the README:
#   taut run models/six_bar_demo.toml -o build/demo
#   sh docs/make-picture.sh build/demo/report.html docs/six-bar.png --size 1120x630 --time 1.9
# That of joints and pulleys:
#   taut run models/tensegrity_manipulator.toml --duration 0.5 -o build/manipulator
#   sh docs/make-picture.sh build/manipulator/report.html docs/manipulator.png --size 1120x630 --only scene
set -eu
if [ $# -lt 2 ]; then
  echo "usage: make-picture.sh REPORT PICTURE [--size 1280x720] [--time SECONDS] [--theme light|dark] ..." >&2
  exit 2
fi
exec node "$(dirname "$0")/../viewer/test/screenshot.mjs" "$@"
