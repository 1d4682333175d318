import type { FacadeAnswer } from "../facade-row.ts";
import type { FormatWriter } from "../format-writer.ts";
import { emscFeature } from "./emsc-feature.ts";

/** Writes the JSON of EMSC's event service, one Feature per line. */
export function createEmscJsonWriter({
  catalogue,
  count,
  total = count,
}: Pick<FacadeAnswer, "catalogue" | "count" | "total">): FormatWriter {
  let separator = "";
  return {
    begin: () => `{"type":"FeatureCollection","metadata":{"totalCount":${total}},"features":[`,
    row(row) {
      const text = separator + emscFeature(row, catalogue.name);
      separator = ",\n";
      return text;
    },
    end: () => "]}\n",
  };
}
