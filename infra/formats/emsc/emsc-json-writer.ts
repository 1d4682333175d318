import type { FacadeAnswer } from "../facade-row.ts";
import type { FormatWriter } from "../format-writer.ts";
import { createListWriter } from "../json/list-writer.ts";
import { emscFeature } from "./emsc-feature.ts";

/** Writes the JSON of EMSC's event service, one Feature per line. */
export function createEmscJsonWriter({
  catalogue,
  count,
  total = count,
}: Pick<FacadeAnswer, "catalogue" | "count" | "total">): FormatWriter {
  return createListWriter(
    `{"type":"FeatureCollection","metadata":{"totalCount":${total}},"features":[`,
    (row) => emscFeature(row, catalogue.name),
    { first: "", end: () => "]}\n" },
  );
}
