// node get-npm.mjs FOLDER: npm itself as FOLDER/npm, for machines that have Node.js without it. Debian's own npm brings
// 376 packages along; this is one archive of 2.7 MB, checked against the hash below.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const version = "10.9.4"; // the last that runs on Node.js 18
const sha512 = "OnUG836FwboQIbqtefDNlyR0gTHzIfwRfE3DuiNewBvnMnWEpB0VEXwBlFVgqpNzIgYo/MHh3d2Hel/pszapAA==";

// The registry that npm would ask.
function registry() {
  const given = process.env.npm_config_registry ?? process.env.NPM_CONFIG_REGISTRY;
  if (given) return given;
  for (const file of [join(homedir(), ".npmrc"), "/usr/local/etc/npmrc", "/etc/npmrc"]) {
    const line = existsSync(file) && /^registry\s*=\s*(\S+)/m.exec(readFileSync(file, "utf8"));
    if (line) return line[1];
  }
  return "https://registry.npmjs.org/";
}

const folder = process.argv[2];
if (!folder) throw new Error("usage: node get-npm.mjs FOLDER");
const address = `${registry().replace(/\/+$/, "")}/npm/-/npm-${version}.tgz`;
const answer = await fetch(address);
if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
const archive = Buffer.from(await answer.arrayBuffer());
if (createHash("sha512").update(archive).digest("base64") !== sha512)
  throw new Error(`${address}: not the archive that was expected (its hash differs)`);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const untar = spawnSync("tar", ["-xzf", "-", "-C", folder], { input: archive });
if (untar.status !== 0) throw new Error(`tar: ${untar.stderr}`);
const program = join(folder, "npm");
writeFileSync(program, '#!/bin/sh\nexec node "$(dirname "$0")/package/bin/npm-cli.js" "$@"\n');
chmodSync(program, 0o755);
