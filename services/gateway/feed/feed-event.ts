import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { emscFeature } from "#infra/formats/facade/emsc.ts";
import { FACADE_FIELD, FACADE_FIELDS } from "#infra/formats/facade-row.ts";
import { FIELD } from "#infra/formats/format-writer.ts";
import type { ChunkRows } from "#infra/log/chunks.ts";
import type { FeedAction } from "#services/domain/following.ts";
import type { VersionEntry } from "#services/domain/versions.ts";
import type { OpenMessage } from "./feed-form.ts";

/** What a message tells of an event. */
const NAMES = [
  "time",
  "latitude",
  "longitude",
  "depth",
  "magnitude",
  "magnitude_type",
  "region",
  "source_id",
  "event_type",
  "event_type_certainty",
  "agency_id",
  "author",
] as const satisfies (keyof SeismicEvent)[];

const SCALARS = ["time", ...ATTRIBUTE_NAMES] as const;

/** What filters look at, and more than messages tell. */
export type FeedEvent = Pick<
  SeismicEvent,
  "id" | (typeof SCALARS)[number] | "focal_mechanisms" | "bulletin_counts"
>;

/** Row `index` of a chunk's columns. */
export function feedEventAt(
  { columns, bulletins }: ChunkRows,
  index: number,
  id: string,
): FeedEvent {
  const event: Record<string, unknown> = { id };
  for (const name of SCALARS) event[name] = columns[name]?.[index] ?? null;
  event["focal_mechanisms"] = columns.focal_mechanisms?.[index] ?? null;
  const counts = bulletins?.[index]?.counts;
  if (counts !== undefined) event["bulletin_counts"] = counts;
  return event as FeedEvent;
}

export type VersionOfCatalogue = { readonly catalogueId: string; readonly entry: VersionEntry };

/** The message of a change in a version: EMSC's. */
export function eventMessage(
  action: FeedAction,
  event: FeedEvent,
  of: VersionOfCatalogue,
): OpenMessage {
  return `{"action":"${action}","data":${featureOf(event, of)}`;
}

/**
 * Why a feed with a filter creates or deletes an event, as further members of its message.
 * @param other how the event is outside the filter, where a revision has brought it in or out; else null
 */
export function reasonOf(
  action: FeedAction,
  other: FeedEvent | null,
  of: VersionOfCatalogue,
): string {
  if (action === "update") return "";
  const [unrevised, name] = action === "create" ? ["added", "before"] : ["removed", "now"];
  if (other === null) return `,"reason":"${unrevised}"`;
  return `,"reason":"revised","${name}":${featureOf(other, of)}`;
}

/** EMSC's Feature, with the ids of event and catalogue and the version. */
function featureOf(event: FeedEvent, { catalogueId, entry }: VersionOfCatalogue): string {
  const { version, committedAt, catalogueName } = entry;
  const row = NOTHING.slice();
  for (const name of NAMES) row[FIELD[name]] = textOf(event[name]);
  row[FIELD.id] = event.id;
  row[FACADE_FIELD.updated] = committedAt;
  // EMSC always names an authority, which its listeners show as text.
  row[FIELD.agency_id] = event.agency_id ?? event.author ?? "";
  const further = `,"event_id":"${event.id}","version":${version},"catalogue":"${catalogueId}"`;
  return emscFeature(row, catalogueName, further);
}

const NOTHING: (string | null)[] = FACADE_FIELDS.map(() => null);

function textOf(value: string | number | null): string | null {
  if (value === null || typeof value === "string") return value;
  return Object.is(value, -0) ? "-0" : String(value);
}
