// graphile-worker: setup, one by one, in bulk, and a worker with the local queue.
import { makeWorkerUtils, run } from "graphile-worker";
import { PAYLOAD, done, tell, timed } from "./tally.mjs";

const [action, given] = process.argv.slice(2);
const count = Number(given);
const connectionString = `socket:${process.env.PGHOST}?db=${process.env.PGDATABASE}&user=${process.env.PGUSER}`;
delete process.env.PGDATABASE;
const quiet = { worker: { connectionString, maxPoolSize: 10 } };

if (action === "work") {
  tell();
  const runner = await run({
    preset: {
      worker: {
        ...quiet.worker,
        concurrentJobs: 24,
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        localQueue: { size: 500 },
      },
    },
    taskList: { noop: async () => done() },
  });
  await runner.promise;
} else {
  const utils = await makeWorkerUtils({ preset: quiet });
  await utils.migrate();
  const start = performance.now();
  if (action === "one") {
    for (let n = 0; n < count; n += 1) await utils.addJob("noop", PAYLOAD);
  } else if (action === "bulk") {
    for (let n = 0; n < count; n += 1000) {
      const size = Math.min(1000, count - n);
      await utils.addJobs(Array.from({ length: size }, () => ({ identifier: "noop", payload: PAYLOAD })));
    }
  }
  timed(start);
  await utils.release();
}
