import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { ServedEvent } from "./served-catalogue.ts";

const USGS = "https://earthquake.usgs.gov";

/** The document up to its first feature, as ComCat's. */
export function geojsonHead(count: number): string {
  const metadata = {
    generated: 1_700_000_000_000,
    url: `${USGS}/fdsnws/event/1/query?format=geojson`,
    title: "USGS Earthquakes",
    status: 200,
    api: "1.14.1",
    count,
  };
  return `{"type":"FeatureCollection","metadata":${JSON.stringify(metadata)},"features":[`;
}

export const GEOJSON_TAIL = "]}";

/** A feature as ComCat writes it; ids are a network's two letters and its code. */
export function writeFeature({ row, updatedMs, ids }: ServedEvent): string {
  const id = String(row["source_id"]);
  const timeMs = Date.parse(String(row["time"]));
  const [net, code] = [id.slice(0, 2), id.slice(2)];
  const magnitude = row["magnitude"] ?? null;
  const place = row["region"] ?? null;
  return JSON.stringify({
    type: "Feature",
    properties: {
      mag: magnitude,
      place,
      time: timeMs,
      updated: updatedMs ?? timeMs,
      tz: null,
      url: `${USGS}/earthquakes/eventpage/${id}`,
      detail: `${USGS}/fdsnws/event/1/query?eventid=${id}&format=geojson`,
      felt: null,
      cdi: null,
      mmi: null,
      alert: null,
      status: row["evaluation_mode"] === "manual" ? "reviewed" : "automatic",
      tsunami: 0,
      sig: 0,
      net,
      code,
      ids: commaList(ids ?? [id]),
      sources: commaList((ids ?? [id]).map((one) => one.slice(0, 2))),
      types: ",origin,phase-data,",
      nst: row["used_station_count"] ?? null,
      dmin: null,
      rms: row["standard_error"] ?? null,
      gap: row["azimuthal_gap"] ?? null,
      magType: lowerCase(row["magnitude_type"]),
      type: row["event_type"] ?? "earthquake",
      title: `M ${typeof magnitude === "number" ? magnitude.toFixed(1) : "?"} - ${place}`,
    },
    geometry: {
      type: "Point",
      coordinates: [row["longitude"] ?? null, row["latitude"] ?? null, row["depth"] ?? null],
    },
    id,
  });
}

/** ComCat's lists begin and end with a comma. */
function commaList(values: readonly string[]): string {
  return `,${values.join(",")},`;
}

function lowerCase(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value.toLowerCase() : null;
}
