// BullMQ: one by one, in bulk, and a worker.
import { Queue, Worker } from "bullmq";
import { PAYLOAD, chunks, done, each, tell, timed } from "./tally.mjs";

const [action, given, width] = process.argv.slice(2);
const count = Number(given);
const connection = { path: process.env.BENCH_REDIS, maxRetriesPerRequest: null };
const options = { removeOnComplete: true };

if (action === "work") {
  tell();
  const worker = new Worker("bench", async () => done(), { connection, concurrency: 100 });
  worker.on("error", (error) => console.error(error.message));
  process.on("SIGTERM", () => worker.close().then(() => process.exit(0)));
} else {
  const queue = new Queue("bench", { connection });
  await queue.waitUntilReady();
  const start = performance.now();
  if (action === "one") {
    await each(count, Number(width), () => queue.add("noop", PAYLOAD, options));
  } else if (action === "bulk") {
    const job = { name: "noop", data: PAYLOAD, opts: options };
    await chunks(count, Number(width), (size) => queue.addBulk(Array(size).fill(job)));
  }
  timed(start);
  await queue.close();
}
