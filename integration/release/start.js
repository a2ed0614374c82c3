#!/usr/bin/env node
// Starts the program of this name from the package that npm chose for the machine.
const { spawnSync } = require("node:child_process");
const path = require("node:path");

const name = path.basename(__filename, ".js");
const wanted = `agit-suite-${process.platform}-${process.arch}`;
let folder;
try {
  folder = path.dirname(require.resolve(`${wanted}/package.json`));
} catch {
  console.error(`${name}: the package ${wanted} is not installed; run npm install again without --omit=optional, or take an archive from the releases page`);
  process.exit(1);
}
const program = path.join(folder, "bin", process.platform === "win32" ? `${name}.exe` : name);
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`${name}: ${ended.error.message}`);
  process.exit(1);
}
if (ended.signal) process.kill(process.pid, ended.signal);
process.exit(ended.status);
