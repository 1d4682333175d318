import { FDSN_VERSION } from "#contracts/fdsn/formats.ts";
import { epochMilliseconds } from "../facade-event.ts";
import type { FacadeAnswer } from "../facade-row.ts";
import { type ExportRow, FIELD, type FormatWriter } from "../format-writer.ts";
import { createListWriter } from "../json/list-writer.ts";
import { createComcatFeatureWriter } from "./comcat-feature.ts";
import { productsOf } from "./comcat-products.ts";

/**
 * Writes a FeatureCollection as USGS ComCat's summary format has it, one Feature per line. `metadata` has
 * limit and offset only where a limit was asked for; `bbox` stands at the end, where its ranges are not empty.
 */
export function createComcatGeojsonWriter(
  answer: FacadeAnswer,
  feature = createComcatFeatureWriter(answer),
): FormatWriter {
  const extent = createExtent();
  return createListWriter(
    `{"type":"FeatureCollection","metadata":${JSON.stringify(metadataOf(answer))},"features":[`,
    (row) => {
      extent.add(row);
      return feature(row);
    },
    { first: "", end: () => `]${extent.member()}}\n` },
  );
}

/** Writes the one event of an answer as ComCat's detail format has it. */
export function createComcatDetailWriter(answer: FacadeAnswer): FormatWriter {
  const feature = createComcatFeatureWriter(answer);
  return {
    begin: () => "",
    row: (row) => feature(row, `,"products":${JSON.stringify(productsOf(row, answer))}`),
    end: () => "\n",
  };
}

function metadataOf({ exportedAt, request, title, limit, offset, count }: FacadeAnswer): object {
  return {
    generated: epochMilliseconds(exportedAt),
    url: request,
    title,
    status: 200,
    api: FDSN_VERSION,
    ...(limit === null ? {} : { limit, offset }),
    count,
  };
}

/** The smallest and largest longitude, latitude and known depth, as ComCat's: not across the antimeridian. */
function createExtent() {
  const fields = [FIELD.longitude, FIELD.latitude, FIELD.depth];
  const least = fields.map(() => Number.POSITIVE_INFINITY);
  const most = fields.map(() => Number.NEGATIVE_INFINITY);

  return {
    add(row: ExportRow): void {
      for (const [i, field] of fields.entries()) {
        const text = row[field] ?? null;
        if (text === null) continue;
        const value = Number(text);
        if (value < (least[i] ?? 0)) least[i] = value;
        if (value > (most[i] ?? 0)) most[i] = value;
      }
    },
    member(): string {
      const isWide = least.every((value, i) => value < (most[i] ?? 0));
      return isWide ? `,"bbox":${JSON.stringify([...least, ...most])}` : "";
    },
  };
}
