import { type FacadeAnswer, isDeleted } from "../facade-row.ts";
import type { FormatWriter } from "../format-writer.ts";
import { createListWriter } from "../json/list-writer.ts";
import { emscFeature } from "./emsc-feature.ts";

/** EMSC's has no status: a removed event has this one, others have none. */
const DELETED = ',"status":"deleted"';

/** Writes the JSON of EMSC's event service, one Feature per line. */
export function createEmscJsonWriter({
  catalogue,
  count,
  total = count,
}: Pick<FacadeAnswer, "catalogue" | "count" | "total">): FormatWriter {
  return createListWriter(
    `{"type":"FeatureCollection","metadata":{"totalCount":${total}},"features":[`,
    (row) => emscFeature(row, catalogue.name, isDeleted(row) ? DELETED : ""),
    { first: "", end: () => "]}\n" },
  );
}
