// The shaders of the scene. Node positions live in one float texture that is updated in place for every frame; all
// geometry of the structure is static and looks its nodes up by index. Colours are sRGB throughout.

export const nodesWide = 1024; // nodes in a row of the texture

// Place on the screen, and distance before the eye; products of matrices at every vertex would be dear.
const eye = `
vec4 clip(vec3 p) {
  return projectionMatrix * (viewMatrix * vec4(p, 1));
}
float away(vec3 p) {
  return -dot(vec4(viewMatrix[0].z, viewMatrix[1].z, viewMatrix[2].z, viewMatrix[3].z), vec4(p, 1));
}
`;

const lookUp = `
${eye}
uniform highp sampler2D uNodes;
vec3 node(float index) {
  int i = int(index + 0.5);
  return texelFetch(uNodes, ivec2(i & ${nodesWide - 1}, i / ${nodesWide}), 0).xyz;
}
uniform float uPixel;   // size of a pixel at distance 1
uniform float uMark;    // index of the selected one, -1 for none
`;

// A light from the camera's upper left and one from the sky; up is uUp.
const dull = `
uniform vec3 uUp;
uniform vec3 uSun;
vec3 lit(vec3 color, vec3 n) {
  return color * (0.6 + 0.1 * dot(n, uUp) + 0.34 * max(dot(n, uSun), 0.0));
}
`;
const light = `
${dull}
vec3 shiny(vec3 color, vec3 n, vec3 toEye, float gloss) {
  float shine = max(dot(n, normalize(uSun + toEye)), 0.0);
  shine *= shine;
  shine *= shine;
  shine *= shine;
  return lit(color, n) + vec3(gloss * shine * shine);
}
`;

// Rods: position.xy on the unit circle, position.z along; ends = first node, second node, index.
export const rodVertex = `
attribute vec3 ends;
attribute float radius;
varying vec3 vNormal;
varying vec3 vToEye;
varying float vMarked;
${lookUp}
void main() {
  vec3 a = node(ends.x);
  vec3 d = node(ends.y) - a;
  vec3 w = d / max(length(d), 1e-9);
  vec3 u = normalize(cross(w, abs(w.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  vec3 n = u * position.x + cross(w, u) * position.y;
  vec3 p = a + d * position.z;
  vMarked = abs(ends.z - uMark) < 0.5 ? 1.0 : 0.0;
  float far = away(p);
  p += n * max(radius * (1.0 + 0.35 * vMarked), (0.9 + vMarked) * uPixel * far);
  vNormal = n;
  vToEye = normalize(cameraPosition - p);
  gl_Position = clip(p);
}`;

export const rodFragment = `
uniform vec3 uColor;
uniform vec3 uMarkColor;
varying vec3 vNormal;
varying vec3 vToEye;
varying float vMarked;
${light}
void main() {
  gl_FragColor = vec4(shiny(mix(uColor, uMarkColor, vMarked), normalize(vNormal), vToEye, 0.22), 1);
}`;

// Cables: ribbons that face the eye, shaded as round; position.x is -1 or 1 across, position.y 0 to 1 along; ends =
// first node, second node, cable. Taut ones are straight, one piece each. Slack ones (SLACK) are drawn by a second
// mesh of more pieces: a dashed bow as long as the rest length. Round a drum (WOUND) they are straight pieces all the
// same.
export const cableVertex = `
attribute vec3 ends;
uniform highp sampler2D uCables;   // tension, rest length over length
uniform float uRadius;
uniform float uSlackBelow;
uniform vec3 uUp;
varying float vAcross;
varying float vAlong;
varying float vTension;
varying float vMarked;
varying vec3 vSide;
varying vec3 vToEye;
${lookUp}
void main() {
  int i = int(ends.z + 0.5);
  vec4 state = texelFetch(uCables, ivec2(i & ${nodesWide - 1}, i / ${nodesWide}), 0);
  vTension = state.x;
  vMarked = abs(ends.z - uMark) < 0.5 ? 1.0 : 0.0;
  float y = position.y;
  vec3 a = node(ends.x);
  vec3 along = node(ends.y) - a;
  float len = length(along);
  vec3 p = a + along * y;
#ifdef SLACK
  // A shallow bow of length L (1 + e) sags by sqrt(3 e / 8) L.
  float sag = len * min(sqrt(0.375 * max(state.y - 1.0, 0.0)), 0.6);
  p -= uUp * (sag * 4.0 * y * (1.0 - y));
  along -= uUp * (sag * 4.0 * (1.0 - 2.0 * y));
#elif !defined(WOUND)
  if (state.x < uSlackBelow) {
    gl_Position = vec4(2, 2, 2, 1);
    return;
  }
#endif
  vToEye = normalize(cameraPosition - p);
  vec3 side = cross(along, vToEye);
  float size = length(side);
  vSide = size > 1e-9 ? side / size : vec3(1, 0, 0);
  float pixel = uPixel * away(p);
  p += vSide * position.x * max(uRadius * (1.0 + vMarked), (0.85 + 0.9 * vMarked) * pixel);
  vAcross = position.x;
  vAlong = y * len / pixel;
  gl_Position = clip(p);
}`;

export const cableFragment = `
uniform float uSlackBelow;
uniform sampler2D uRamp;
uniform vec2 uRange;
uniform vec3 uSlackColor;
uniform vec3 uMarkColor;
varying float vAcross;
varying float vAlong;
varying float vTension;
varying float vMarked;
varying vec3 vSide;
varying vec3 vToEye;
${dull}
void main() {
#ifdef SLACK
  if (mod(vAlong, 9.0) > 5.5) discard;
  vec3 color = uSlackColor;
#else
  float x = clamp((vTension - uRange.x) / (uRange.y - uRange.x), 0.0, 1.0);
  vec3 color = texture2D(uRamp, vec2(0.5 / 256.0 + x * 255.0 / 256.0, 0.5)).rgb;
#ifdef WOUND
  if (vTension < uSlackBelow) color = uSlackColor;
#endif
#endif
  vec3 n = vSide * vAcross + vToEye * sqrt(max(0.0, 1.0 - vAcross * vAcross));
  gl_FragColor = vec4(lit(mix(color, uMarkColor, vMarked), n), 1);
}`;

// Balls at the nodes: squares that face the eye, cut round, with the depth of a ball; place = node, radius.
export const ballVertex = `
attribute vec2 place;
varying vec2 vCorner;
varying vec3 vView;
varying float vRadius;
varying float vMarked;
${lookUp}
void main() {
  vec4 center = viewMatrix * vec4(node(place.x), 1);
  vMarked = abs(place.x - uMark) < 0.5 ? 1.0 : 0.0;
  vRadius = max(place.y * (1.0 + 0.6 * vMarked), (0.8 + 3.2 * vMarked) * uPixel * -center.z);
  vCorner = position.xy;
  vView = center.xyz + vec3(position.xy * vRadius, 0);
  gl_Position = projectionMatrix * vec4(vView, 1);
}`;

export const ballFragment = `
uniform vec3 uColor;
uniform vec3 uMarkColor;
uniform mat4 projectionMatrix;
varying vec2 vCorner;
varying vec3 vView;
varying float vRadius;
varying float vMarked;
${light}
void main() {
  float square = dot(vCorner, vCorner);
  if (square > 1.0) discard;
  float z = sqrt(1.0 - square);
  vec4 clip = projectionMatrix * vec4(vView + vec3(0, 0, vRadius * z), 1);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  vec3 n = vec3(vCorner, z) * mat3(viewMatrix);
  gl_FragColor = vec4(shiny(mix(uColor, uMarkColor, vMarked), n, vec3(0, 0, 1) * mat3(viewMatrix), 0.18), 1);
}`;

// Plates: corner = node.
export const plateVertex = `
attribute float corner;
varying vec3 vPlace;
${lookUp}
void main() {
  vPlace = node(corner);
  gl_Position = clip(vPlace);
}`;

export const plateFragment = `
uniform vec3 uColor;
varying vec3 vPlace;
${dull}
void main() {
  vec3 n = normalize(cross(dFdx(vPlace), dFdy(vPlace)));
  vec3 toEye = normalize(cameraPosition - vPlace);
  gl_FragColor = vec4(lit(uColor, dot(n, toEye) < 0.0 ? -n : n), 0.82);
}`;

// Things attached to nodes: position is the offset, corner the node.
export const attachedVertex = `
attribute float corner;
varying vec3 vNormal;
varying vec3 vToEye;
varying float vMarked;
${lookUp}
void main() {
  vec3 p = node(corner) + position;
  vNormal = normal;
  vToEye = normalize(cameraPosition - p);
  vMarked = 0.0;
  gl_Position = clip(p);
}`;

// Shadows on the ground: ribbons along the way between two nodes, pushed down along the sun onto the plane or
// straight down onto the height field. The smaller value of colour stays, so that crossing shadows add nothing.
export const shadowVertex = `
attribute vec3 ends;
attribute float radius;
uniform vec4 uPlane;     // normal, height
uniform vec3 uFrom;      // towards the light
uniform float uFade;     // height at which a shadow is gone
uniform float uLift;
varying float vHeight;
${lookUp}
#ifdef HEIGHTS
uniform highp sampler2D uHeights;
uniform vec4 uGrid;      // x0, y0, dx, dy
uniform vec2 uCount;
float heightAt(ivec2 i) {
  return texelFetch(uHeights, clamp(i, ivec2(0), ivec2(uCount) - 1), 0).x;
}
float ground(vec2 p) {
  vec2 g = clamp((p - uGrid.xy) / uGrid.zw, vec2(0), uCount - 1.0);
  ivec2 i = ivec2(floor(g));
  vec2 f = g - vec2(i);
  return mix(mix(heightAt(i), heightAt(i + ivec2(1, 0)), f.x),
             mix(heightAt(i + ivec2(0, 1)), heightAt(i + ivec2(1, 1)), f.x), f.y);
}
#endif
void main() {
  vec3 a = node(ends.x);
  vec3 b = node(ends.y);
  vec3 p = mix(a, b, position.y);
#ifdef HEIGHTS
  vec3 n = vec3(0, 0, 1);
  vec3 along = vec3((b - a).xy, 0);
  float h = ground(p.xy);
  vHeight = p.z - h;
  p.z = h + uLift;
#else
  vec3 n = uPlane.xyz;
  float down = dot(n, uFrom);
  vHeight = dot(n, p) - uPlane.w;
  vec3 along = (b - a) - uFrom * (dot(n, b - a) / down);
  p -= uFrom * (vHeight / down);
#endif
  vec3 side = cross(n, along);
  float size = length(side);
  side = size > 1e-9 ? side / size : vec3(1, 0, 0);
  float far = away(p);
  p += side * position.x * max(radius, 0.7 * uPixel * far);
  vHeight /= uFade;
  gl_Position = clip(p);
}`;

export const shadowFragment = `
uniform vec3 uShadow;
uniform vec3 uGround;
varying float vHeight;
void main() {
  gl_FragColor = vec4(mix(uShadow, uGround, clamp(vHeight, 0.0, 1.0)), 1);
}`;

// Arrows: position.xy on the circle, position.z 0 at the tail, 1 at the neck, 2 at the tip; tail and vector per arrow.
export const arrowVertex = `
attribute vec3 tail;
attribute vec3 way;
attribute vec3 tint;
attribute float wide;
uniform float uThick;
varying vec3 vNormal;
varying vec3 vTint;
${eye}
void main() {
  float len = length(way);
  vec3 w = way / max(len, 1e-9);
  vec3 u = normalize(cross(w, abs(w.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  vec3 n = u * position.x + cross(w, u) * position.y;
  float head = min(len, 7.0 * uThick);
  float z = position.z < 0.5 ? 0.0 : position.z < 1.5 ? len - head : len;
  vec3 p = tail + w * z + n * wide * uThick * min(1.0, 0.35 + len / (14.0 * uThick));
  vNormal = normalize(n + (position.z > 0.5 ? 0.4 : 0.0) * w);
  vTint = tint;
  gl_Position = clip(p);
}`;

export const arrowFragment = `
varying vec3 vNormal;
varying vec3 vTint;
${dull}
void main() { gl_FragColor = vec4(1.12 * lit(vTint, normalize(vNormal)), 1); }`;

// Rings where a node touches the ground, flat on it; spot = centre, radius.
export const ringVertex = `
attribute vec4 spot;
uniform vec3 uNormal;
uniform float uPixel;
varying vec2 vCorner;
${eye}
void main() {
  vec3 u = normalize(cross(uNormal, abs(uNormal.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  vec3 v = cross(uNormal, u);
  float far = away(spot.xyz);
  vCorner = position.xy;
  vec3 p = spot.xyz + (u * position.x + v * position.y) * max(spot.w, 3.0 * uPixel * far);
  gl_Position = clip(p);
}`;

export const ringFragment = `
uniform vec3 uColor;
varying vec2 vCorner;
void main() {
  float r = length(vCorner);
  if (r > 1.0) discard;
  gl_FragColor = vec4(uColor, r > 0.68 ? 0.95 : 0.28);
}`;
