// Bundles the viewer. `node build.mjs page FILE`: the page, script and style inlined, with its mark for the data.
import { build } from "esbuild";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const mark = "<!--taut:data-->";

export async function buildPage(file) {
  const common = { bundle: true, minify: true, write: false, logLevel: "warning", absWorkingDir: here };
  const script = await build({
    ...common,
    entryPoints: ["src/main.ts"],
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    // The licence of three.js asks for its notice.
    banner: { js: "/* Holds three.js, copyright 2010-2025 three.js authors, MIT licence */" },
  });
  const style = await build({ ...common, entryPoints: ["src/style.css"] });
  const code = script.outputFiles[0].text;
  if (/<\/script|<!--/i.test(code)) throw new Error("the script holds a sequence that would end it early");
  const page = readFileSync(join(here, "src/index.html"), "utf8")
    .replace("/*style*/", () => style.outputFiles[0].text.trim())
    .replace("/*script*/", () => code.trim());
  if (page.split(mark).length !== 2) throw new Error("the page must hold its mark for the data once");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
}

// kind: unit or e2e.
export async function buildTests(folder, kind) {
  const entryPoints = readdirSync(join(here, "test"))
    .filter((name) => name.endsWith(`_${kind}.ts`))
    .map((name) => join("test", name));
  await build({
    entryPoints,
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node18",
    external: ["playwright-core"],
    outExtension: { ".js": ".cjs" },
    logLevel: "warning",
    absWorkingDir: here,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, target] = process.argv.slice(2);
  if (what === "page" && target) await buildPage(target);
  else {
    console.error("usage: node build.mjs page FILE");
    process.exit(2);
  }
}
