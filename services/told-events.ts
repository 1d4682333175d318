/** The changes of a version as the log has them, and an event as feeds and alerts tell of it. */

import type { CommonQueryMethods } from "slonik";
import { revisionStream } from "#contracts/events/log.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/ids.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { emscFeature } from "#infra/formats/facade/emsc-atom.ts";
import { FACADE_FIELD, FACADE_FIELDS } from "#infra/formats/facade-row.ts";
import { FIELD } from "#infra/formats/format-writer.ts";
import { type Chunk, type ChunkRows, decodeChunk } from "#infra/log/chunks.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import { supersededEvents } from "#projections/read/events.ts";
import type { EventStates, FeedAction } from "#services/domain/following.ts";
import type { VersionEntry } from "#services/domain/versions.ts";

/** @throws Error where the version has no such chunk; CorruptChunk, UnknownChunkVersion */
export async function readChunk(
  log: Pick<EventLog, "read">,
  { catalogueId, entry }: VersionOfCatalogue,
  index: number,
): Promise<Chunk> {
  const stream = revisionStream(catalogueId, entry.version);
  const [recorded] = await log.read(stream, index, 1);
  if (recorded === undefined) throw new Error(`${stream} has no chunk ${index}`);
  return decodeChunk(recorded.data as Uint8Array);
}

/** Changes in a chunk. */
export function lengthOf({ added, restored, updated, removed }: Chunk): number {
  return added.length + restored.length + updated.length + removed.length;
}

/** Events by id, as they were before a version. */
export type ReadBefore = (
  of: VersionOfCatalogue,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, ToldEvent>>;

/** Reads them where the read model has applied the version. */
export const readBefore =
  (pool: CommonQueryMethods): ReadBefore =>
  ({ catalogueId, entry }, ids) =>
    supersededEvents(pool, catalogueId, entry.version, ids);

/**
 * The changes of a chunk in its order: each event as it is afterwards, or as it was where it is deleted.
 * @param gone the removed ones as they were
 * @param leavesOut the origin times of new ones that are not asked for
 */
export function* eventsOf(
  { firstIndex, added, restored, updated, removed }: Chunk,
  { catalogueId, entry }: VersionOfCatalogue,
  gone: ReadonlyMap<string, ToldEvent> | null,
  leavesOut: (time: string) => boolean = () => false,
): Generator<readonly [FeedAction, ToldEvent]> {
  const prefix = eventIdPrefix(catalogueId, entry.version);
  for (let i = 0; i < added.length; i += 1) {
    if (leavesOut(String(added.columns.time?.[i]))) continue;
    yield ["create", toldEventAt(added, i, eventIdAt(prefix, firstIndex + i))];
  }
  for (const [i, id] of restored.ids.entries()) yield ["create", toldEventAt(restored, i, id)];
  for (const [i, id] of updated.ids.entries()) yield ["update", toldEventAt(updated, i, id)];
  for (const id of removed) {
    const event = gone?.get(id);
    if (event === undefined) throw new Error(`event ${id} was not there before its removal`);
    yield ["delete", event];
  }
}

/** An event as it was before a version and is after it; null where it is not there. */
export type ChangedEvent = { readonly id: string } & EventStates<ToldEvent>;

/**
 * What a chunk changed; null where the read model does not have what was before, since it stopped at the version.
 * @param leavesOut the origin times of those that came in of which nothing is to be told
 */
export async function statesOf(
  chunk: Chunk,
  of: VersionOfCatalogue,
  read: ReadBefore,
  leavesOut?: (time: string) => boolean,
): Promise<ChangedEvent[] | null> {
  const superseded = [...chunk.updated.ids, ...chunk.removed];
  const before = superseded.length === 0 ? new Map() : await read(of, superseded);
  if (before.size < superseded.length) return null;
  return [...eventsOf(chunk, of, before, leavesOut)].map(([action, event]) => ({
    id: event.id,
    before:
      action === "delete" ? event : action === "update" ? (before.get(event.id) ?? null) : null,
    after: action === "delete" ? null : event,
  }));
}

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
export type ToldEvent = Pick<
  SeismicEvent,
  "id" | (typeof SCALARS)[number] | "focal_mechanisms" | "bulletin_counts" | "extra"
>;

/** Row `index` of a chunk's columns. */
function toldEventAt({ columns, bulletins }: ChunkRows, index: number, id: string): ToldEvent {
  const event: Record<string, unknown> = { id };
  for (const name of SCALARS) event[name] = columns[name]?.[index] ?? null;
  event["focal_mechanisms"] = columns.focal_mechanisms?.[index] ?? null;
  event["extra"] = columns.extra?.[index] ?? null;
  const counts = bulletins?.[index]?.counts;
  if (counts !== undefined) event["bulletin_counts"] = counts;
  return event as ToldEvent;
}

/** A version, and the catalogue's name at the time. */
export type VersionOfCatalogue = {
  readonly catalogueId: string;
  readonly entry: Pick<VersionEntry, "version" | "committedAt" | "catalogueName">;
};

/** EMSC's Feature, with the ids of event and catalogue and the version. */
export function featureOf(event: ToldEvent, { catalogueId, entry }: VersionOfCatalogue): string {
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
