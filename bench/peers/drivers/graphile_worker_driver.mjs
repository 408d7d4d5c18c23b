// graphile-worker: setup, one by one, in bulk, and a worker tuned as its own performance test is.
import { PAYLOAD, chunks, done, each, tell, timed } from "./tally.mjs";

// The library reads this when it is loaded: a line on the console for every job is not part of the work.
process.env.NO_LOG_SUCCESS = "1";
const { Logger, makeWorkerUtils, run } = await import("graphile-worker");

const [action, given, width] = process.argv.slice(2);
const count = Number(given);
const connectionString = `socket:${process.env.PGHOST}?db=${process.env.PGDATABASE}&user=${process.env.PGUSER}`;
delete process.env.PGDATABASE;
const logger = new Logger(() => (level, message) => {
  if (level === "error" || level === "warning") console.error(message);
});
// Its own performance test has 24 at once, on a bigger machine.
const CONCURRENT = 10;
const worker = { connectionString, maxPoolSize: CONCURRENT + 1, logger };

if (action === "work") {
  tell();
  const runner = await run({
    preset: {
      worker: {
        ...worker,
        concurrentJobs: CONCURRENT,
        localQueue: { size: 500, refetchDelay: { durationMs: 10 } },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    taskList: { noop: async () => done() },
  });
  await runner.promise;
} else {
  const utils = await makeWorkerUtils({ preset: { worker } });
  await utils.migrate();
  const start = performance.now();
  if (action === "one") {
    await each(count, Number(width), () => utils.addJob("noop", PAYLOAD));
  } else if (action === "bulk") {
    const job = { identifier: "noop", payload: PAYLOAD };
    await chunks(count, Number(width), (size) => utils.addJobs(Array(size).fill(job)));
  }
  timed(start);
  await utils.release();
}
