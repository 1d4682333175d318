import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { z } from "zod";
import { hasRealData, REAL_DATA_DIR } from "../real-data.ts";

const number = z.string().transform((text) => (text === "" ? null : Number(text)));
const text = z.string().transform((value) => (value === "" ? null : value));

const QuakesearchRow = z.object({
  publicid: z.string(),
  eventtype: z.string(),
  origintime: z.string(),
  longitude: z.coerce.number(),
  latitude: z.coerce.number(),
  magnitude: z.coerce.number(),
  depth: number,
  magnitudetype: text,
  depthtype: text,
  evaluationstatus: text,
  evaluationmode: text,
  usedphasecount: number,
  usedstationcount: number,
  magnitudestationcount: number,
  azimuthalgap: number,
  originerror: number,
  magnitudeuncertainty: number,
});
export type QuakesearchRow = z.infer<typeof QuakesearchRow>;

const CsepRow = z.object({
  event_id: z.string(),
  time_string: z.string(),
  lon: z.coerce.number(),
  lat: z.coerce.number(),
  depth: z.coerce.number(),
  M: z.coerce.number(),
});

if (!hasRealData) {
  process.stderr.write(`skipped: no real data in ${REAL_DATA_DIR} (REAL_DATA_DIR)\n`);
}

/**
 * Events of GeoNet's quakesearch with a magnitude that are earthquakes or not said to be anything
 * else: G is geonet_quakesearch_1980-2022.csv, K kawerau.csv.
 */
export function readQuakesearch(catalogue: "G" | "K"): QuakesearchRow[] {
  const file = { G: "geonet_quakesearch_1980-2022.csv", K: "kawerau.csv" }[catalogue];
  const rows = z.array(QuakesearchRow).parse(readRows(file));
  return rows.filter(
    ({ eventtype, magnitude }) => ["earthquake", ""].includes(eventtype) && magnitude >= -3,
  );
}

/** R, the sample of CSEP: aftershocks of Ridgecrest 2019. */
export function readCsepSample(): z.infer<typeof CsepRow>[] {
  return z.array(CsepRow).parse(readRows("csep_sample.csv"));
}

function readRows(file: string): unknown {
  return parse(readFileSync(join(REAL_DATA_DIR, "csv", file)), { columns: true });
}
