# page.awk -v script=FILE -v shown=FILE PAGE: its ```matlab blocks as one script, its ```text blocks as what that prints. A
# block below <!-- not run: reason --> is left out.
/^```/ {
  if (inside) {
    inside = 0
  } else {
    inside = 1
    to = ""
    if (!skip && $0 == "```matlab") to = script
    if (!skip && $0 == "```text") to = shown
  }
  skip = 0
  next
}
inside && to { print > to }
!inside { skip = /^<!-- not run: / }
