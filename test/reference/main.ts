/**
 * `npm run analytics:reference -- --only 1,2,3`: the service's analyses beside the results of other
 * programs. Starts it in a temporary directory, creates the catalogues from real files and generators,
 * asks each row over HTTP, and ends with 1 where an answer differs.
 */
import { parseArgs } from "node:util";
import { signIn } from "../support/api-client.ts";
import { hasRealData, REAL_DATA_DIR } from "../support/real-data.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { ADMIN, WITH_ADMIN } from "../support/shown-file.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";
import {
  agrees,
  ask,
  createReferenceCatalogues,
  type Question,
  type ReferenceRow,
  shown,
  valueAt,
} from "./common.ts";
import { readRows } from "./rows.ts";

const ROWS = readRows();

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: "string" } } });
  const only = values.only?.split(",").map(Number) ?? ROWS.map(({ row }) => row);
  if (!hasRealData) throw new Error(`no real data in ${REAL_DATA_DIR} (REAL_DATA_DIR)`);
  const directory = await createTemporaryDirectory();
  const service = await startServiceProcess({
    DATA_DIR: directory.path,
    ...WITH_ADMIN,
    ...unlimitedFor(ADMIN),
  });
  try {
    const client = await signIn(service.url, ADMIN);
    const catalogue = createReferenceCatalogues(client);
    const put = (question: Question) => ask(client, catalogue, question);
    const rows = ROWS.filter(({ row }) => only.includes(row));
    const wrong: number[] = [];
    for (const row of rows) if (!(await isReproduced(row, put))) wrong.push(row.row);
    console.log(`${rows.length - wrong.length} of ${rows.length} rows agree`);
    if (wrong.length === 0) return;
    console.log(`different: ${wrong.join(", ")}`);
    process.exitCode = 1;
  } finally {
    await service.stop();
    await directory.remove();
  }
}

/** Asks what a row asks and prints the answers beside what is expected. */
async function isReproduced(
  { row, what, checks }: ReferenceRow,
  put: (question: Question) => ReturnType<typeof ask>,
): Promise<boolean> {
  let areRight = true;
  for (const { ask: question, expect } of checks) {
    const outcome = await put(question);
    for (const [place, expected] of Object.entries(expect)) {
      const got = "answer" in outcome ? valueAt(outcome.answer, place) : undefined;
      const isRight = agrees(expected, got);
      areRight &&= isRight;
      const title = `${String(row).padStart(2)} ${isRight ? " " : "≠"} ${what}, ${place}`;
      console.log(`${title.padEnd(76)} ${expected.padStart(20)}   ${shown(expected, got)}`);
    }
    if ("error" in outcome) console.log(`   ${outcome.error}`);
  }
  return areRight;
}

await main();
