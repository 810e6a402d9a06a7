# Cuts a Markdown page into its marked blocks: writes them to OUT/N.block and prints "N LINE MARK ARGUMENT" for each.
function emit(mark, argument) { print ++count, FNR, mark, argument }

# Inside a block: up to the closing fence.
fence {
  if ($0 ~ "^" fence "[ \t]*$") {
    fence = ""
    if (target) close(target)
    target = ""
  } else if (target) {
    print > target
  }
  next
}

# A mark waits for the block in the next line.
/^<!-- .* -->[ \t]*$/ {
  note = $0
  sub(/^<!-- /, "", note)
  sub(/ -->[ \t]*$/, "", note)
  if (note == "runs") note = "runs, exit 0"
  if (note !~ /^(file [^ ]+|runs, exit [0-9]+|prints|not run: .+)$/) note = ""
  next
}

/^```/ {
  match($0, /^`+/)
  fence = substr($0, 1, RLENGTH)
  language = substr($0, RLENGTH + 1)
  sub(/[ \t]+$/, "", language)
  if (language ~ /^(bash|shell|console|shell-session)$/) emit("wrong", "write ```sh, so that the tests see the block")
  if (language ~ /^(py|python3|pycon|ipython)$/) emit("wrong", "write ```python, so that the tests see the block")
  if (note == "" && language == "sh") emit("wrong", "this ```sh block has no mark that says what the tests do with it")
  if (note ~ /^runs/ && language != "sh") emit("wrong", "a block that runs begins with ```sh")
  # tests/python/test_pages.py runs ```python blocks and compares what they print.
  if (note == "prints" && python) note = ""
  if (language == "python" && note !~ /^(file|not run)/) python = 1
  if (language == "sh" && note ~ /^runs/) python = 0
  if (note ~ /^(file|runs|prints)/) {
    sub(/,? exit/, "", note)
    split(note, word, " ")
    emit(word[1], word[2])
    target = out count ".block"
    printf "" > target
  }
  note = ""
  next
}

{ note = "" }

END { if (fence) emit("wrong", "the last block is not closed") }
