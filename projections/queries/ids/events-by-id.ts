import { type FragmentSqlToken, sql } from "slonik";
import {
  type EventIdForms,
  eventIdForms,
  type MeantBy,
  meantBy,
} from "#contracts/fdsn/event-id-forms.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import { idSearches } from "../edits/id-holders.ts";
import type { Reader } from "../rights/reader-rights.ts";
import { FoundState, firstOf, foundStates, isReadable, MAX_STATES } from "./found-states.ts";
import { mergedEventsQuery } from "./merged-events.ts";

/** An event that an id leads to, in whatever catalogue. */
export type EventOfId = {
  readonly catalogueId: string;
  readonly eventId: string;
  /** `former`: its latest row has another id; `member`: the id is that of an event that was merged into it. */
  readonly by: MeantBy | "former" | "member";
  /** The last version that has the event. */
  readonly version: number;
  readonly removed: boolean;
};

export type EventsOfId = {
  /** Those that are there first, then those that have the id themselves, then newer catalogues. */
  readonly events: readonly EventOfId[];
  /** Whether there may be more. */
  readonly truncated: boolean;
};

type Found = EventOfId & Pick<FoundState, "key">;

/**
 * The events that have or had an id, or a member that has or had it, in all catalogues that are there for a
 * reader, of the versions that he may read.
 * @param statements prepared ones: planning takes longer than reading
 */
export async function readEventsOfId(
  statements: Pick<Statements, "any">,
  reader: Reader,
  id: string,
  limit: number,
): Promise<EventsOfId> {
  const form = eventIdForms(id);
  const query = eventsOfIdQuery(reader, form);
  const states = await statements.any(sql.type(FoundState)`${query}`);
  const found = new Map<string, Found>();
  for (const state of states) {
    const by = foundBy(form, state);
    if (by !== null) found.set(state.eventId, foundOf(state, by));
  }
  const members = new Set([...found.keys(), ...(form.ourId === null ? [] : [form.ourId])]);
  const merged = await mergedOf(statements, reader, [...members]);
  for (const state of merged) {
    if (!found.has(state.eventId)) found.set(state.eventId, foundOf(state, "member"));
  }
  const events = [...found.values()].toSorted(inOrder).map(({ key: _, ...event }) => event);
  const isPart = Math.max(states.length, merged.length) === MAX_STATES;
  return { events: events.slice(0, limit), truncated: isPart || events.length > limit };
}

async function mergedOf(
  statements: Pick<Statements, "any">,
  reader: Reader,
  members: readonly string[],
): Promise<readonly FoundState[]> {
  if (members.length === 0) return [];
  return statements.any(sql.type(FoundState)`${mergedEventsQuery(reader, members)}`);
}

function foundBy(form: EventIdForms, state: FoundState): EventOfId["by"] | null {
  const { eventId: id, sourceId, publicId, lastSourceId, lastPublicId } = state;
  const now = meantBy(form, { id, sourceId: lastSourceId, publicId: lastPublicId });
  if (now !== null) return now;
  return meantBy(form, { id, sourceId, publicId }) === null ? null : "former";
}

function foundOf(state: FoundState, by: EventOfId["by"]): Found {
  const { key, catalogueId, eventId, version, removed } = state;
  return { key, catalogueId, eventId, by, version, removed };
}

function inOrder(a: Found, b: Found): number {
  return (
    Number(a.removed) - Number(b.removed) ||
    Number(a.by === "member") - Number(b.by === "member") ||
    b.key - a.key ||
    (a.eventId < b.eventId ? -1 : 1)
  );
}

/**
 * The states of events that may be meant by an id: one for each pair of ids by which they may. Each index is gone
 * through once for all catalogues: one catalogue after the other, by a join, takes half as long again.
 */
export function eventsOfIdQuery(reader: Reader, form: EventIdForms): FragmentSqlToken {
  const rows = idSearches([form]).map(
    ({ texts, has }) => sql.fragment`
      select catalogue_key, revision_from, revision_to, event_id, source_id,
        extra ->> 'public_id' as public_id
      from read_model.seismic_events
      where catalogue_key = any((select keys from readable)::integer[])
        and ${has(sql.fragment`any(${texts})`)}`,
  );
  return sql.fragment`
    with readable as materialized (
      select array_agg(c.key) as keys from read_model.catalogues c where ${isReadable(reader)}
    ), found as materialized (${sql.join(rows, sql.fragment` union all `)})
    ${foundStates(sql.fragment`
      select c.key, c.id, c.version, e.event_id, e.source_id, e.public_id
      from found e join read_model.catalogues c on c.key = e.catalogue_key
      where e.revision_from <= c.version
        and (e.revision_to is null or e.revision_to > ${firstOf(reader)})`)}`;
}
