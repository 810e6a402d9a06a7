#!/bin/sh
# page.sh PAGE SOURCE PROGRAM: does what a Markdown page says, in a scratch folder, and compares what it shows.
# The line above a fenced block tells what becomes of it:
#   <!-- file NAME -->           the block is written to NAME
#   <!-- runs -->                the block (```sh) is run and must end with exit 0
#   <!-- runs, exit N -->        ... with exit N
#   <!-- prints -->              what the block before must have printed; "..." stands for any text, alone on a line for
#                                any number of lines
#   <!-- not run: reason -->     the block (```sh) is left alone
# ```python blocks, and what they print, are left to tests/python/test_pages.py.
# Every ```sh block must carry one of the marks, and every link into the repository must lead somewhere.
set -eu
page=$1
source=$2
program=$3
house=$source/tests/house
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# Cut the page into numbered blocks: N.block and a line "N LINE MARK" each.
mkdir "$scratch/blocks" "$scratch/home" "$scratch/work"
awk -v out="$scratch/blocks/" -f "$house/page_blocks.awk" "$page" >"$scratch/list"

# Links outside blocks, less those to other sites and to headings of this page.
awk '/^```/ { block = !block } !block' "$page" | sed -n 's/](\([^)]*\))/\n](\1)\n/gp' | sed -n 's/^](\([^)#]*\).*)$/\1/p' | grep -v '^[a-z]*:' | grep . |
  while read -r link; do
    if [ ! -e "$(dirname "$page")/$link" ]; then printf '%s: link to %s: there is no such file\n' "$page" "$link"; fi
  done >"$scratch/broken"
if [ -s "$scratch/broken" ]; then
  cat "$scratch/broken"
  exit 1
fi

# A folder that looks like the repository after `./dev build`, with taut on the path.
ln -s "$source/models" "$source/docs" "$scratch/work/"
mkdir "$scratch/work/build"
ln -s "$program" "$scratch/work/build/taut"
cd "$scratch/work"
PATH=$scratch/work/build:$PATH
HOME=$scratch/home
export PATH HOME

complain() {
  printf '%s:%s: %s\n' "$page" "$line" "$1"
  exit 1
}

: >"$scratch/output"
while read -r number line mark argument; do
  block=$scratch/blocks/$number.block
  case $mark in
    file)
      mkdir -p "$(dirname "$argument")"
      cp "$block" "$argument"
      ;;
    runs)
      status=0
      sh -eu "$block" >"$scratch/output" 2>&1 </dev/null || status=$?
      if [ "$status" -ne "$argument" ]; then
        cat "$scratch/output"
        complain "this block ended with exit $status instead of $argument"
      fi
      ;;
    prints)
      awk -v shown="$block" -f "$house/page_prints.awk" "$scratch/output" || {
        printf -- '--- the page shows\n'
        cat "$block"
        printf -- '--- printed now\n'
        cat "$scratch/output"
        complain "the block before does not print this"
      }
      ;;
    wrong) complain "$argument" ;;
  esac
done <"$scratch/list"
