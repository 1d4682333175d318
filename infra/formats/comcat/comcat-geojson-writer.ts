import { FDSN_VERSION } from "#contracts/fdsn/formats.ts";
import {
  clientId,
  epochMilliseconds,
  hasBulletin,
  reviewStatus,
  updatedOf,
} from "../facade-event.ts";
import type { FacadeAnswer } from "../facade-row.ts";
import { type ExportField, type ExportRow, FIELD, type FormatWriter } from "../format-writer.ts";
import { createListWriter } from "../json/list-writer.ts";
import { createComcatFeatureWriter, networkOf } from "./comcat-feature.ts";

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

/** An event's products by type: where it has a bulletin, the phase data that libcomcat reads. */
function productsOf(row: ExportRow, { service }: Pick<FacadeAnswer, "service">): object {
  if (!hasBulletin(row)) return {};
  const id = clientId(row);
  const net = networkOf(row, id);
  const code = id.slice(net.length);
  const source = net.toLowerCase();
  const updated = updatedOf(row);
  const updateTime = updated === null ? null : epochMilliseconds(updated);
  const product = {
    id: `urn:earthquake-catalogue:phase-data:${row[FIELD.id]}`,
    type: "phase-data",
    code: id,
    source,
    updateTime,
    status: "UPDATE",
    properties: propertiesOf(row, source, code),
    preferredWeight: 1,
    contents: {
      "quakeml.xml": {
        contentType: "application/xml",
        lastModified: updateTime,
        url: `${service}/query?eventid=${row[FIELD.id]}&includeall=true`,
      },
    },
  };
  return { "phase-data": [product] };
}

/** ComCat's properties of an origin, which are texts. */
const PROPERTIES = {
  eventtime: "time",
  latitude: "latitude",
  longitude: "longitude",
  depth: "depth",
  magnitude: "magnitude",
  "magnitude-type": "magnitude_type",
  "magnitude-error": "magnitude_uncertainty",
  "azimuthal-gap": "azimuthal_gap",
  "num-phases-used": "used_phase_count",
  "num-stations-used": "used_station_count",
  "minimum-distance": "minimum_distance",
  "standard-error": "standard_error",
} as const satisfies Record<string, ExportField>;

function propertiesOf(row: ExportRow, eventsource: string, eventsourcecode: string): object {
  const known = Object.entries(PROPERTIES).flatMap(([name, field]) => {
    const text = row[FIELD[field]] ?? null;
    return text === null ? [] : [[name, text]];
  });
  const status = reviewStatus(row);
  return {
    eventsource,
    eventsourcecode,
    ...Object.fromEntries(known),
    ...(status !== null && { "review-status": status }),
  };
}
