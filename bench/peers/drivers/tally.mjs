// Reports for a driver's worker how many tasks this process ran, and when the first and the last.
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
    try {
      writeSync(1, JSON.stringify([process.pid, n, first, last]) + "\n");
      told = n;
    } catch (error) {
      // The pipe is full: the next report follows soon.
      if (error.code !== "EAGAIN") throw error;
    }
  }, 50);
}

// Awaits `one` for `count` times, `width` at a time.
export async function each(count, width, one) {
  let left = count;
  const some = async () => { while (left > 0) { left -= 1; await one(); } };
  await Promise.all(Array.from({ length: width }, some));
}

// Enqueues `count` jobs in calls of ten thousand, as Duetime's are, `width` calls at a time.
export async function chunks(count, width, add) {
  let left = count;
  const one = () => { const size = Math.min(10_000, left); left -= size; return add(size); };
  await each(Math.ceil(count / 10_000), width, one);
}

export function timed(start) {
  writeSync(1, `${(performance.now() - start) / 1000}\n`);
}

export const PAYLOAD = { payload: "x".repeat(100) };
