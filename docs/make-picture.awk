# Reads nodes.csv and cables.csv of a run and the bars of the model file, writes SVG (see make-picture.sh).
BEGIN {
  pi = atan2(0, -1)
  width = 720
  height = 520
  azimuth = 2.2
  elevation = 0.20
  distance = 4.5   # of the eye, in sizes of the structure
  trail = 0.3      # s
  read_bars()
}

# The first row of each file names its columns: "node.x", "cable.tension".
FNR == 1 {
  file++
  for (c = 2; c <= NF; c++) {
    match($c, /\.[a-z]+$/)
    owner[file, c] = substr($c, 1, RSTART - 1)
    what[file, c] = substr($c, RSTART + 1)
  }
  next
}

# Nodes: keep the rows of the trail and the row asked for.
file == 1 && $1 <= time + 1e-9 && $1 >= time - trail {
  rows++
  for (c = 2; c <= NF; c++) at[rows, owner[1, c], what[1, c]] = $c
  for (c = 2; c <= NF; c += 3) node[owner[1, c]] = 1
}

# Cables: tensions at the row asked for; the name tells the two ends.
file == 2 && $1 <= time + 1e-9 {
  for (c = 2; c <= NF; c++) if (what[2, c] == "tension") tension[owner[2, c]] = $c
}

END {
  find_camera()
  for (name in node) project(rows, name)

  # Everything with its depth, so that what is near hides what is far.
  for (name in tension) {
    if (tension[name] > largest) largest = tension[name]
    if (smallest == "" || tension[name] < smallest) smallest = tension[name]
  }
  range = largest > smallest ? largest - smallest : 1
  for (b = 1; b <= bars; b++) add(first[b], second[b], bar_drawing(first[b], second[b]))
  for (name in tension) {
    split(name, ends, "-")
    add(ends[1], ends[2], cable_drawing(ends[1], ends[2], (tension[name] - smallest) / range))
  }
  for (name in node) add(name, name, node_drawing(name))

  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n", width, height
  print "<rect width=\"100%\" height=\"100%\" rx=\"12\" fill=\"#f7f8fa\"/>"
  for (name in node) draw_trail(name)
  for (k = 1; k <= items; k++) print farthest()
  draw_scale()
  print "</svg>"
}

# Pairs of quoted names after `nodes =` or `pairs =` in every [[bars]] of the model file.
function read_bars(   line, inside, listing) {
  while ((getline line < model) > 0) {
    sub(/#.*/, "", line)
    if (line ~ /^[ \t]*\[/ && line !~ /"/) inside = line ~ /\[\[[ \t]*bars[ \t]*\]\]/
    if (line ~ /^[ \t]*[A-Za-z_]+[ \t]*=/) listing = line ~ /^[ \t]*(nodes|pairs)[ \t]*=/
    if (!inside || !listing) continue
    while (match(line, /"[^"]*"/)) {
      if (half == "") {
        half = substr(line, RSTART + 1, RLENGTH - 2)
      } else {
        first[++bars] = half
        second[bars] = substr(line, RSTART + 1, RLENGTH - 2)
        half = ""
      }
      line = substr(line, RSTART + RLENGTH)
    }
  }
}

# The eye looks at the centre of the nodes; the scale fits the largest distance from it.
function find_camera(   name, n, r, dx, dy, dz) {
  for (name in node) {
    n++
    cx += at[rows, name, "x"]
    cy += at[rows, name, "y"]
    cz += at[rows, name, "z"]
  }
  cx /= n
  cy /= n
  cz /= n
  for (name in node) {
    dx = at[rows, name, "x"] - cx
    dy = at[rows, name, "y"] - cy
    dz = at[rows, name, "z"] - cz
    r = sqrt(dx * dx + dy * dy + dz * dz)
    if (r > size) size = r
  }
}

# Sets px, py (pixels), near (pixels per metre there) and deep (m from the eye).
function look(x, y, z,   u, v, w) {
  x -= cx
  y -= cy
  z -= cz
  u = -sin(azimuth) * x + cos(azimuth) * y
  v = cos(azimuth) * x + sin(azimuth) * y
  w = cos(elevation) * z - sin(elevation) * v
  v = sin(elevation) * z + cos(elevation) * v
  deep = distance * size - v
  near = 0.41 * height * distance / deep
  px = width / 2 - 20 + u * near
  py = height / 2 - w * near
}

function project(row, name) {
  look(at[row, name, "x"], at[row, name, "y"], at[row, name, "z"])
  X[name] = px
  Y[name] = py
  S[name] = near
  D[name] = deep
}

function add(a, b, text) {
  item[++items] = text
  depth[items] = (D[a] + D[b]) / 2 - (a == b ? 0.3 * size : 0)
}

function farthest(   k, best) {
  for (k = 1; k <= items; k++) if (!(k in drawn) && (!best || depth[k] > depth[best])) best = k
  drawn[best] = 1
  return item[best]
}

function line(a, b, thick, colour) {
  return sprintf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\" " \
    "stroke-linecap=\"round\"/>", X[a], Y[a], X[b], Y[b], colour, thick)
}

# Metres to pixels at the middle of a member.
function thickness(a, b, metres) { return metres * size * (S[a] + S[b]) / 2 }

function bar_drawing(a, b) {
  return line(a, b, thickness(a, b, 0.062), "#f7f8fa") "\n" line(a, b, thickness(a, b, 0.046), "#27313d") "\n" \
    line(a, b, thickness(a, b, 0.012), "#6b7888")
}

function cable_drawing(a, b, part) {
  return line(a, b, thickness(a, b, 0.030), "#f7f8fa") "\n" line(a, b, thickness(a, b, 0.015), colour_of(part))
}

function node_drawing(name) {
  return sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#27313d\" stroke=\"#f7f8fa\" stroke-width=\"1.5\"/>",
    X[name], Y[name], thickness(name, name, 0.032))
}

# 0 blue, 1/2 amber, 1 red.
function colour_of(part) {
  if (part < 0.5) return mix(47, 128, 237, 242, 169, 0, 2 * part)
  return mix(242, 169, 0, 214, 40, 40, 2 * part - 1)
}

function mix(r1, g1, b1, r2, g2, b2, part) {
  return sprintf("#%02x%02x%02x", r1 + (r2 - r1) * part, g1 + (g2 - g1) * part, b1 + (b2 - b1) * part)
}

function draw_trail(name,   row) {
  printf "<polyline fill=\"none\" stroke=\"#8794a5\" stroke-opacity=\"0.55\" stroke-width=\"1.2\" points=\""
  for (row = 1; row <= rows; row++) {
    look(at[row, name, "x"], at[row, name, "y"], at[row, name, "z"])
    printf "%.1f,%.1f ", px, py
  }
  print "\"/>"
}

function draw_scale(   k, x, y) {
  x = width - 92
  y = 140
  for (k = 0; k < 40; k++)
    printf "<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"6.6\" fill=\"%s\"/>\n", x, y + 240 - 6 * (k + 1), colour_of(k / 39)
  printf "<g font-size=\"14\" fill=\"#27313d\">"
  printf "<text x=\"%d\" y=\"%d\">%.0f N</text><text x=\"%d\" y=\"%d\">%.0f N</text>", x + 22, y + 12,
    largest, x + 22, y + 240, smallest
  printf "<text x=\"%d\" y=\"%d\">tension</text>", x - 14, y - 16
  printf "<text x=\"24\" y=\"%d\">t = %.2f s</text></g>\n", height - 22, time
}
