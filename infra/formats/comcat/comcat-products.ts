import {
  clientId,
  epochMilliseconds,
  hasBulletin,
  reviewStatus,
  updatedOf,
} from "../facade-event.ts";
import type { FacadeAnswer } from "../facade-row.ts";
import { type ExportField, type ExportRow, FIELD } from "../format-writer.ts";
import { networkOf } from "./comcat-feature.ts";

/** An event's products by type: where it has a bulletin, the phase data that libcomcat reads. */
export function productsOf(row: ExportRow, { service }: Pick<FacadeAnswer, "service">): object {
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
