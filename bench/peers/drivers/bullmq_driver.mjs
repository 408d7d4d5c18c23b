// BullMQ: one by one, in bulk, and a worker.
import { Queue, Worker } from "bullmq";
import { PAYLOAD, done, tell, timed } from "./tally.mjs";

const [action, given] = process.argv.slice(2);
const count = Number(given);
const connection = { path: process.env.BENCH_REDIS, maxRetriesPerRequest: null };
const options = { removeOnComplete: true };

if (action === "work") {
  tell();
  const worker = new Worker("bench", async () => done(), { connection, concurrency: 100 });
  process.on("SIGTERM", () => worker.close().then(() => process.exit(0)));
} else {
  const queue = new Queue("bench", { connection });
  await queue.waitUntilReady();
  const start = performance.now();
  if (action === "one") {
    // Sixty-four at a time, as our clients are.
    const one = async () => { for (let n = 0; n < count / 64; n += 1) await queue.add("noop", PAYLOAD, options); };
    await Promise.all(Array.from({ length: 64 }, one));
  } else if (action === "bulk") {
    for (let n = 0; n < count; n += 1000) {
      const size = Math.min(1000, count - n);
      await queue.addBulk(Array.from({ length: size }, () => ({ name: "noop", data: PAYLOAD, opts: options })));
    }
  }
  timed(start);
  await queue.close();
}
