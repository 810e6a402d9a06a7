#!/bin/sh
# references.sh SOURCE: every "Author (year)" that pages, code and models cite is in docs/references.md.
set -eu
cd "$1"
export LC_ALL=C.UTF-8
name='[[:upper:]][[:alpha:]]+'
grep -rhoE "($name, )*($name and )?$name( et al\.)? \((18|19|20)[0-9]{2}\)" --include='*.h' --include='*.cpp' --include='*.md' --include='*.toml' \
  taut apps docs models README.md CONTRIBUTING.md | sort -u | {
  wrong=0
  while read -r citation; do
    # "Savin, Vorochaeva and Kurenkov (2020)" is "Savin et al. (2020)".
    short=$(printf '%s' "$citation" | sed -E 's/^([^ ,]+), .*(\([0-9]+\))$/\1 et al. \2/')
    if ! grep -qF -e "$citation" -e "$short" docs/references.md; then
      printf 'docs/references.md lacks %s, cited in\n' "$citation"
      grep -rlF "$citation" taut apps docs models README.md CONTRIBUTING.md | sed 's/^/  /'
      wrong=1
    fi
  done
  exit $wrong
}
