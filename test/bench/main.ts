/** `npm run bench`: figures of the service, each beside a yardstick measured in the same run. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { startBenchService } from "./bench-service.ts";
import { benchCreate } from "./cases/create.ts";
import { benchAddressTiming } from "./cases/login-timing.ts";
import { isMet, printResults } from "./report.ts";

const TRIES = 200;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    /** Measures only what it names: `login-timing`. */
    only: { type: "string" },
  },
});

const service = await startBenchService();
try {
  const repetitions = values.quick ? 3 : 7;
  const results = [
    await benchAddressTiming(service, "/api/auth/login", TRIES),
    await benchAddressTiming(service, "/api/auth/forgot-password", TRIES),
  ];
  if (values.only !== "login-timing") {
    results.push(await benchCreate(service, 100_000, repetitions, 2.5));
    if (!values.quick) results.push(await benchCreate(service, 500_000, 3, 2.5));
  }
  printResults(results);
  await writeFile("bench.json", `${JSON.stringify(results, null, 2)}\n`);
  if (!results.every(isMet)) process.exitCode = 1;
} finally {
  await service.close();
}
