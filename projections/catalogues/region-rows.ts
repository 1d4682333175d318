import { createHash } from "node:crypto";
import { sql } from "slonik";
import type { RegionEvent } from "#contracts/domain-events/region-events.ts";
import { boxOfArea } from "#contracts/geometry/extent.ts";
import { areaOfGeometry, countVertices } from "#contracts/geometry/shape.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

/** Applies one event to its region's row. */
export async function applyToRegion(
  transaction: Transaction,
  { type, data }: RegionEvent,
  { recordedAt: at, metadata: { actor } }: Pick<RecordedEvent, "recordedAt" | "metadata">,
): Promise<void> {
  const { regionId } = data;
  switch (type) {
    case "RegionCreated":
    case "RegionChanged": {
      const { name, note, geometry } = data.settings;
      const text = JSON.stringify(geometry);
      const area = areaOfGeometry(geometry);
      const { west, south, east, north } = boxOfArea(area);
      await transaction.run(sql.unsafe`
        insert into regions (id, name, note, geometry, revision, bbox, vertices,
          created_at, created_by, updated_at, updated_by)
        values (${regionId}, ${name}, ${note}, ${text}, ${revisionOf(text)},
          ${sql.array([west, south, east, north], "float8")}, ${countVertices(area)},
          ${at}, ${actor}, ${at}, ${actor})
        on conflict (id) do update set name = excluded.name, note = excluded.note,
          geometry = excluded.geometry, revision = excluded.revision, bbox = excluded.bbox,
          vertices = excluded.vertices, updated_at = excluded.updated_at,
          updated_by = excluded.updated_by`);
      return;
    }
    case "RegionDeleted":
      await transaction.run(sql.unsafe`delete from regions where id = ${regionId}`);
      return;
    default:
      return unknownCase(type);
  }
}

const REVISION_DIGITS = 16;

/** The same geometry has the same one, also after a restore. */
function revisionOf(geometry: string): string {
  return createHash("sha256").update(geometry).digest("hex").slice(0, REVISION_DIGITS);
}
