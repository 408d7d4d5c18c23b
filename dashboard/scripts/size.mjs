// Fails when the built page is larger than its budget.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const BUDGET = 250 * 1024;
const root = new URL("../../src/duetime/dashboard/dist/", import.meta.url).pathname;

function files(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

const total = files(root).reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);
console.log(`The page is ${(total / 1024).toFixed(1)} KB gzip in all; the budget is ${BUDGET / 1024} KB.`);
if (total > BUDGET) process.exit(1);
