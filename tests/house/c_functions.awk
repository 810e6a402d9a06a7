# c_functions.awk taut_c.h: a line "NAME RESULT PARAMETER..." for each function, types by the letters
#   i int   l int64_t   d double   s text   p pointer   v nothing
function letter(type) {
  gsub(/^ +| +$/, "", type)
  if (type == "void") return "v"
  if (type ~ /^const char *\*[a-z_ ]*$/) return "s"
  if (type ~ /\*/) return "p"
  if (type ~ /^int64_t/) return "l"
  if (type ~ /^int/) return "i"
  if (type ~ /^double/) return "d"
  return "?"
}
{ text = text $0 " " }
END {
  while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//)) text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
  gsub(/ +/, " ", text)
  count = split(text, part, "TAUT_API ")
  for (i = 2; i <= count; i++) {
    if (!match(part[i], /taut_[a-z_]+\(/)) continue
    name = substr(part[i], RSTART, RLENGTH - 1)
    result = substr(part[i], 1, RSTART - 1)
    rest = substr(part[i], RSTART + RLENGTH)
    line = name " " letter(result)
    parameters = split(substr(rest, 1, index(rest, ");") - 1), parameter, ",")
    for (k = 1; k <= parameters; k++)
      if (letter(parameter[k]) != "v" || parameter[k] ~ /\*/) line = line " " letter(parameter[k])
    print line
  }
}
