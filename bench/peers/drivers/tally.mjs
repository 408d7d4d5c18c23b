// What a driver's worker reports: how many tasks this process ran, and when the first and the last.
import { writeSync } from "node:fs";

let n = 0, told = 0, first = 0, last = 0;

export function done() {
  last = Date.now() / 1000;
  if (n === 0) first = last;
  n += 1;
}

export function tell() {
  setInterval(() => {
    if (n === told) return;
    told = n;
    writeSync(1, JSON.stringify([process.pid, n, first, last]) + "\n");
  }, 50);
}

export function timed(start) {
  writeSync(1, `${(performance.now() - start) / 1000}\n`);
}

export const PAYLOAD = { payload: "x".repeat(100) };
