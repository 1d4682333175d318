import { setImmediate } from "node:timers/promises";
import { sql } from "slonik";
import { expect, test } from "vitest";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const ROWS = 200_000;

test("other work gets its turn while many rows are copied, of which none is lost", async () => {
  const pool = createPgPool(database.url, { applicationName: "test", maxConnections: 1 });
  try {
    const query = sql.fragment`select i, repeat('x', 200) from generate_series(1, ${ROWS}) as i`;
    let rows = 0;
    let sum = 0;
    let mostAtOnce = 0;
    let atOnce = 0;
    let copying = true;
    const turns = (async () => {
      while (copying) {
        mostAtOnce = Math.max(mostAtOnce, atOnce);
        atOnce = 0;
        await setImmediate();
      }
    })();
    await eachCopiedRow(await pool.connect(), query, (line) => {
      rows += 1;
      atOnce += 1;
      sum += Number.parseInt(line.toString("latin1"), 10);
      // Each row costs what writing an event costs.
      for (const until = performance.now() + 0.005; performance.now() < until; );
    });
    copying = false;
    await turns;
    expect(rows).toBe(ROWS);
    expect(sum).toBe((ROWS * (ROWS + 1)) / 2);
    // A read of a socket brings up to 64 KB; without pauses 32 of them would follow each other.
    expect(mostAtOnce).toBeLessThan(2_000);
  } finally {
    await pool.end();
  }
});
