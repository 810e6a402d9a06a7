# julia_calls.awk taut.jl: a line "NAME RESULT PARAMETER..." for each @ccall, types by the letters of c_functions.awk.
function letter(type) {
  if (type == "Cvoid") return "v"
  if (type == "Cstring") return "s"
  if (type ~ /^(Ptr|Ref)\{/) return "p"
  if (type == "Int64") return "l"
  if (type == "Cint") return "i"
  if (type == "Cdouble") return "d"
  return "?"
}
# The type behind the last "::", down to the end of its braces.
function type_of(text) {
  sub(/.*::/, "", text)
  gsub(/ /, "", text)
  return letter(text)
}
{
  text = $0
  while ((at = index(text, "@ccall taut.")) > 0) {
    text = substr(text, at + 12)
    open = index(text, "(")
    line = substr(text, 1, open - 1)
    parameters = ""
    argument = ""
    for (depth = 1; depth > 0 && ++open <= length(text);) {
      c = substr(text, open, 1)
      if (c ~ /[([{]/) depth++
      if (c ~ /[])}]/) depth--
      if ((c == "," && depth == 1) || depth == 0) {
        if (argument != "") parameters = parameters " " type_of(argument)
        argument = ""
      } else {
        argument = argument c
      }
    }
    match(substr(text, open + 1), /^::[A-Za-z0-9]+(\{[A-Za-z0-9]+\})?/)
    print line " " type_of(substr(text, open + 1, RLENGTH)) parameters
  }
}
