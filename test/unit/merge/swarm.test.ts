import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { groupEvents } from "#services/domain/merges/grouping/group-events.ts";
import { type Origin, thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { displacedCopy } from "../../support/merge/displaced-copy.ts";
import { originsOf } from "../../support/origins-of.ts";
import { idsOf } from "./scenario.ts";

const DIRECTORY =
  process.env["REAL_DATA_DIR"] ?? join(import.meta.dirname, "../../../../shared/data");
const FILE = join(DIRECTORY, "csv/geonet_quakesearch_1980-2022.csv");
const isAbsent = !existsSync(FILE);
if (isAbsent) {
  process.stderr.write(`skipped: ${FILE} is absent; REAL_DATA_DIR says where the real data is\n`);
}

const Rows = z.array(
  z.object({
    publicid: z.string(),
    origintime: z.string(),
    latitude: z.coerce.number(),
    longitude: z.coerce.number(),
  }),
);

/** Magnitudes play no part in grouping, so that events whose −9 stands for none are kept too. */
function readSwarm(): Origin[] {
  const rows = Rows.parse(parse(readFileSync(FILE), { columns: true }));
  return rows.map(({ publicid, origintime, latitude, longitude }) => ({
    source: 0,
    id: publicid,
    time: origintime,
    latitude,
    longitude,
  }));
}

function scoresOf(groups: readonly (readonly string[])[], truth: number) {
  const pairs = groups.filter((group) => group.length === 2);
  const right = pairs.filter(
    (pair) => pair.includes(`copy ${pair[0]}`) || pair.includes(`copy ${pair[1]}`),
  );
  const precision = right.length / pairs.length;
  const recall = right.length / truth;
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}

describe.skipIf(isAbsent)("a real swarm and its copy with errors of 2 s and 8 km", () => {
  test("a real swarm and its copy with errors of 2 s and 8 km are paired with a precision of 0.99 and an F1 of 0.95 at 16 s and 50 km", () => {
    const swarm = readSwarm();
    const copy = displacedCopy(swarm, { seconds: 2, kilometres: 8 }, randomOf(20_220_609));
    const events = [...swarm, ...copy];
    const groups = idsOf(
      events,
      groupEvents(originsOf(events), { thresholds: thresholdsOf(16, 50) }),
    );
    const { precision, f1 } = scoresOf(groups, swarm.length);
    expect(swarm).toHaveLength(18_650);
    expect(precision).toBeGreaterThanOrEqual(0.99);
    expect(f1).toBeGreaterThanOrEqual(0.95);
  });
});
