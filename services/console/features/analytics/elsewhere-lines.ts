import { FILTER_PARAMETERS, type FilterName, filtersInWords } from "#contracts/query/filters.ts";
import type { FilterValues } from "../../model/work-state.ts";

/** What the service answers what is shown: its address, and a body where it is a POST. */
export type Answered = { readonly address: string; readonly body?: object };

type Shown = {
  readonly origin: string;
  /** Its address in the API. */
  readonly catalogue: string;
  readonly version: number;
  readonly isPublic: boolean;
  readonly filters: FilterValues;
};

/** A line for a terminal that answers what the page shows. */
export function curlLine({ address, body }: Answered, { origin, isPublic }: Shown): string {
  const sender = isPublic && body === undefined ? "" : ' -H "authorization: Bearer $TOKEN"';
  const json = body === undefined ? "" : ` --json ${quoted(JSON.stringify(body))}`;
  return `curl${sender} ${quoted(origin + address)}${json}`;
}

/** As a shell takes it, whatever stands in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The filters that event services know, there in small letters. */
const KNOWN: ReadonlySet<FilterName> = new Set([
  "startTime",
  "endTime",
  "minMagnitude",
  "maxMagnitude",
  "minDepth",
  "maxDepth",
  "minLatitude",
  "maxLatitude",
  "minLongitude",
  "maxLongitude",
  "latitude",
  "longitude",
  "minRadiusKm",
  "maxRadiusKm",
  "magnitudeType",
  "eventType",
  "polygon",
  "region",
]);

/** Python that reads the events with ObsPy, from the version that is shown. */
export function obspyLines({ origin, catalogue, version, isPublic, filters }: Shown): string {
  const values = Object.entries(filters) as [FilterName, string][];
  const known = values.flatMap(([name, value]) => {
    if (!KNOWN.has(name)) return [];
    const { kind } = FILTER_PARAMETERS[name];
    const isNumber = kind === "number" || kind === "integer";
    const text = isNumber ? value.trim().replace(/^\+/, "") : JSON.stringify(value);
    return [`${name.toLowerCase()}=${kind === "time" ? `UTCDateTime("${value}")` : text}`];
  });
  const others = Object.fromEntries(values.filter(([name]) => !KNOWN.has(name)));
  const left = filtersInWords(others).map((text) => `# not known to event services: ${text}`);
  const signIn = isPublic ? "" : ", user=TOKEN_ID, password=TOKEN";
  const isTimed = values.some(([name]) => FILTER_PARAMETERS[name].kind === "time");
  return [
    ...(isTimed ? ["from obspy import UTCDateTime"] : []),
    "from obspy.clients.fdsn import Client",
    `client = Client("${origin}${catalogue}/versions/${version}"${signIn})`,
    `events = client.get_events(${known.join(", ")})`,
    ...left,
  ].join("\n");
}
