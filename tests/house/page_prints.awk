# Exit 0 when the output (the input file) is what the file SHOWN says. Numbers may differ by 1 %, or both be below 1e-6 in
# size: processors round differently. The number of spaces between words does not matter. "..." stands for any text
# within a line (whose numbers must then agree exactly), and alone on a line for any number of lines.
BEGIN {
  while ((getline text < shown) > 0) want[++wanted] = tidied(text)
}
{ have[++lines] = tidied($0) }
END { exit !match_from(1, 1) }

function tidied(text) {
  gsub(/[ \t\r]+/, " ", text)
  sub(/ $/, "", text)
  return text
}

# Lines i.. of what is shown against lines j.. of the output.
function match_from(i, j,   k) {
  for (; i <= wanted; i++) {
    if (want[i] == "...") {
      for (k = j; k <= lines + 1; k++)
        if (match_from(i + 1, k)) return 1
      return 0
    }
    if (j > lines || !match_line(want[i], have[j])) return 0
    j++
  }
  return j == lines + 1
}

function match_line(pattern, text) {
  return pattern == text || (pattern ~ /\.\.\./ ? match_pieces(pattern, text) : match_numbers(pattern, text))
}

# The pieces between the dots occur in this order, the first at the start and the last at the end.
function match_pieces(pattern, text,   piece, pieces, k, at) {
  pieces = split(pattern, piece, /\.\.\./)
  if (substr(text, 1, length(piece[1])) != piece[1]) return 0
  text = substr(text, length(piece[1]) + 1)
  for (k = 2; k < pieces; k++) {
    at = index(text, piece[k])
    if (at == 0 && piece[k] != "") return 0
    text = substr(text, at + length(piece[k]))
  }
  if (length(text) < length(piece[pieces])) return 0
  return substr(text, length(text) - length(piece[pieces]) + 1) == piece[pieces]
}

# Word for word the same but for the numbers, and those are near.
function match_numbers(pattern, text,   number, before, a, b) {
  number = "[-+]?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?"
  while (match(pattern, number)) {
    a = substr(pattern, RSTART, RLENGTH)
    before = substr(pattern, 1, RSTART - 1)
    pattern = substr(pattern, RSTART + RLENGTH)
    if (!match(text, number) || substr(text, 1, RSTART - 1) != before) return 0
    b = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    if (!is_near(a + 0, b + 0)) return 0
  }
  return pattern == text
}

function is_near(a, b,   size) {
  size = larger(larger(a, -a), larger(b, -b))
  return size < 1e-6 || larger(a - b, b - a) <= 0.01 * size
}

function larger(a, b) { return a > b ? a : b }
