import type { CommonQueryMethods } from "slonik";
import type {
  DecidedEvent,
  DecidedGroup,
  MergeDecision,
  ShownDecision,
} from "#contracts/merge/merge-decision.ts";
import {
  type DecisionRow,
  groupsOf,
  presentEvents,
  readDecisions,
} from "#projections/read/merges/decisions.ts";
import type { MergeRow } from "#projections/read/merges/merge.ts";
import { idleDecisions } from "#services/domain/merges/decisions.ts";

/** Who decided is for signed-in callers. */
export type ShownTo = { readonly isGuest: boolean };

export type DecidedMerge = Pick<MergeRow, "id" | "latest" | "hidden">;

/**
 * The decisions of a merge as its reader may see them: nothing is told of events of hidden sources, not even whether
 * they are there.
 */
export async function shownDecisions(
  statements: Pick<CommonQueryMethods, "any">,
  merge: DecidedMerge,
  to: ShownTo,
): Promise<ShownDecision[]> {
  const decisions = await readDecisions(statements, merge.id);
  const present = await presentEvents(statements, merge.latest, decisions);
  const idle = idleDecisions(
    decisions.map(({ type }, index) => ({ type, events: present[index] ?? [] })),
  );
  return decisions.map((decision, index) => {
    const told = shown(decision, idle[index] ?? false, merge.hidden);
    return to.isGuest ? { ...told, actor: null } : told;
  });
}

/** What the next refresh puts together or splits by a decision; null where it changes no event. */
export async function decidedGroup(
  statements: Pick<CommonQueryMethods, "any">,
  { id, latest, hidden }: DecidedMerge,
  { type, events }: MergeDecision,
): Promise<DecidedGroup | null> {
  const [now = []] = await presentEvents(statements, latest, [{ events }]);
  const ids = new Set([...events, ...now].map(({ event_id }) => event_id));
  const groups = await groupsOf(statements, id, [...ids]);
  const changed =
    type === "same"
      ? groups
      : groups.filter((group) => group.events.filter((one) => ids.has(one.event_id)).length > 1);
  if (changed.length < (type === "same" ? 2 : 1)) return null;
  return {
    event_ids: changed.map((group) => group.id),
    events: changed.flatMap((group) => group.events).map((one) => shownEvent(one, hidden)),
  };
}

function shownEvent(
  event: DecidedEvent,
  hidden: MergeRow["hidden"],
): ShownDecision["events"][number] {
  return hidden?.includes(event.catalogue_id) ? { catalogue_id: null, event_id: null } : event;
}

function shown(decision: DecisionRow, idle: boolean, hidden: MergeRow["hidden"]): ShownDecision {
  const isHidden = (catalogueId: string) => hidden?.includes(catalogueId) ?? false;
  const isAboutHidden = decision.events.some(({ catalogue_id: id }) => isHidden(id));
  const events = decision.events.map((event) => shownEvent(event, hidden));
  return { ...decision, events, idle: idle && !isAboutHidden };
}

/** Decisions in one piece of text. */
const PER_PIECE = 1_000;

/** Decisions as JSON in UTF-8: pieces of one or more, with commas between. */
export function writeDecisions(decisions: readonly ShownDecision[]): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < decisions.length; start += PER_PIECE) {
    const some = decisions.slice(start, start + PER_PIECE).map((one) => JSON.stringify(one));
    pieces.push(encoder.encode(some.join(",")));
  }
  return pieces;
}
