import { isDeepStrictEqual } from "node:util";
import type { CommonQueryMethods } from "slonik";
import type { DeedEvent } from "#contracts/http/audit.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  type SmallRevision,
  smallChanges,
} from "#projections/queries/differences/small-changes.ts";

/** What small revisions made of each event, by their key. */
export type DeedEvents = ReadonlyMap<string, readonly DeedEvent[]>;

export const revisionKey = ({ catalogueId, version }: SmallRevision): string =>
  `${catalogueId} ${version}`;

/** Of all revisions of an answer, by one query. */
export async function deedEvents(
  pool: Pick<CommonQueryMethods, "any">,
  revisions: readonly SmallRevision[],
): Promise<DeedEvents> {
  const events = new Map<string, DeedEvent[]>();
  for (const { before, after, ...revision } of await smallChanges(pool, revisions)) {
    const event = deedEvent(before, after);
    const key = revisionKey(revision);
    if (event !== null) events.set(key, [...(events.get(key) ?? []), event]);
  }
  return events;
}

function deedEvent(before: SeismicEvent | null, after: SeismicEvent | null): DeedEvent | null {
  const shown = after ?? before;
  if (shown === null) return null;
  const { id, time, latitude, longitude, magnitude, magnitude_type, region } = shown;
  return {
    change: before === null ? "added" : after === null ? "removed" : "updated",
    event: { id, time, latitude, longitude, magnitude, magnitude_type, region },
    changed: before === null || after === null ? [] : changedAttributes(before, after),
  };
}

const SCALARS = ["time", ...ATTRIBUTE_NAMES] as const;

function changedAttributes(before: SeismicEvent, after: SeismicEvent): DeedEvent["changed"] {
  const scalars = SCALARS.filter((name) => before[name] !== after[name]);
  const structures = STRUCTURED_NAMES.filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  return [
    ...scalars.map((name) => ({ name, from: before[name], to: after[name] })),
    ...structures.map((name) => ({ name })),
    ...(before.bulletin_sha256 === after.bulletin_sha256 ? [] : [{ name: "bulletin" }]),
  ];
}
