/** A catalogue's versions as files that engines read: their manifest, their files and their limits. */

import { z } from "zod";
import { Bounds } from "../events/catalogues.ts";
import { MINUTE_MS } from "../units.ts";
import { Id, operation, sharedAt } from "./operation.ts";

export const PARTS = {
  /** Rows of a file of the base, at most. */
  fileRows: 1_000_000,
  groupRows: 20_000,
  /** The largest events of the base. */
  overviewRows: 500_000,
  /** Files of changes; beyond it the smallest neighbours are joined. */
  changesFiles: 100,
  /** The base is made anew when the changes have more than this part of its rows. */
  changesOfBase: 1 / 5,
  /** What no manifest of so long names is removed. */
  keptMs: 24 * 60 * MINUTE_MS,
} as const;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const path = z.string().describe("below the address of the manifest's folder");
const partShape = { path, rows: z.int(), bytes: z.int(), sha256 };

const BasePart = z.object({ ...partShape, year: z.int(), bounds: Bounds });
export type BasePart = z.infer<typeof BasePart>;

const ChangesPart = z
  .object({ ...partShape, from: z.int(), to: z.int() })
  .describe("the changes of the versions after one and up to another");
export type ChangesPart = z.infer<typeof ChangesPart>;

export const PartsManifest = z
  .object({
    catalogue: z.uuid(),
    name: z.string(),
    version: z.int(),
    published_at: z.string(),
    event_count: z.int(),
    content_hash: z.string().describe("as the version's record has it"),
    sha256: sha256
      .nullable()
      .describe("of the version's canonical form; null until somebody has asked for it"),
    base: z.object({ version: z.int(), files: z.array(BasePart) }),
    changes: z.array(ChangesPart).describe("in order of the versions, without a gap"),
    overview: z
      .object({ ...partShape, version: z.int() })
      .describe(`the ${PARTS.overviewRows} largest events of the base`),
  })
  .meta({ id: "PartsManifest" });
export type PartsManifest = z.infer<typeof PartsManifest>;

export const MANIFEST = "manifest.json";

export const getPartsManifest = operation("GET", `/api/catalogues/:id/parts/${MANIFEST}`, {
  summary: "The files of a catalogue's versions: a base and the changes since",
  access: "viewer",
  alsoAt: sharedAt(`/parts/${MANIFEST}`),
  rate: "parts",
  caching: "revalidated",
  answer: PartsManifest,
  contentTypes: ["application/json; charset=utf-8"],
  errors: ["RANGE_NOT_SATISFIABLE"],
});

export const PARQUET = "application/vnd.apache.parquet";

const ofFile = {
  access: "viewer",
  rate: "parts",
  caching: "unchanging",
  answer: z.string().describe("the file, or the range of it that is asked for"),
  contentTypes: [PARQUET],
  errors: ["UNAVAILABLE", "RANGE_NOT_SATISFIABLE"],
} as const;

const file = z.string().regex(/^(?:\d{1,9}-\d{1,9}-)?[0-9a-f]{64}\.parquet$/);

export const getBasePart = operation("GET", "/api/catalogues/:id/parts/base/:year/:file", {
  ...ofFile,
  summary: "Events of one year of the base, as Parquet",
  alsoAt: sharedAt("/parts/base/:year/:file"),
  params: z.object({ id: Id, year: z.string().regex(/^year=\d{4}$/), file }),
});

export const getPart = operation("GET", "/api/catalogues/:id/parts/:folder/:file", {
  ...ofFile,
  summary: "Changes of some versions, or the overview of the base, as Parquet",
  alsoAt: sharedAt("/parts/:folder/:file"),
  params: z.object({ id: Id, folder: z.enum(["changes", "overview"]), file }),
});
