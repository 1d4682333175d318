import { countsStored } from "#contracts/bulletin/bulletin-summary.ts";
import type { KeptBulletin } from "#infra/event-log/chunk-writer.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";

/** What a row of read_model.seismic_events knows of its bulletin. */
export const KEPT_BULLETIN_COLUMNS = [
  "bulletin_sha256",
  "bulletin_revision",
  "bulletin_counts",
] as const;

/** As COPY begins bytes. */
const PREFIX = "\\x";

/** KEPT_BULLETIN_COLUMNS of a copied row, which begin at `place`; null without a bulletin. */
export function readKeptBulletin(row: TextRow, place: number): KeptBulletin | null {
  const [sha256 = null, revision = null, counts = null] = row.slice(place);
  if (sha256 === null || revision === null || counts === null) return null;
  return {
    sha256: sha256.slice(PREFIX.length),
    revision: Number(revision),
    counts: countsStored(counts.slice(1, -1).split(",").map(Number)),
  };
}
