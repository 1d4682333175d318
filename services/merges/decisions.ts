/** Decisions of people about a merge: changed, looked up, shown, and taken into account. */

import type { ClientBase } from "pg";
import type { CommonQueryMethods } from "slonik";
import { invalid } from "#contracts/errors.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import { SetDecisionsBody } from "#contracts/http/merges.ts";
import type {
  DecidedEvent,
  DecidedGroup,
  MadeDecision,
  MergeDecision,
  ShownDecision,
} from "#contracts/merges/decisions.ts";
import { parseBody } from "#infra/json/json.ts";
import { validate } from "#infra/json/validation.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import {
  type DecisionRow,
  firstUnknown,
  groupsOf,
  presentEvents,
  readDecisions,
} from "#projections/read/merges/decisions.ts";
import type { MergeRow } from "#projections/read/merges/merge.ts";
import { type SourceVersion, sourceKeys } from "#projections/read/merges/refresh.ts";
import type { Reader } from "#projections/read/rights.ts";
import {
  checkDecisions,
  contradictionText,
  decisionEvents,
  idleDecisions,
  type PlainDecision,
  replaceDecisions,
  requireFew,
  sayingOf,
} from "#services/domain/merges/decisions.ts";
import type { RowDecisions } from "#services/domain/merges/grouping/group-events.ts";

export type OfMerge = {
  readonly catalogueId: string;
  /** Whose sources they are: others do not exist. */
  readonly reader: Reader;
  /** Ids of the sources that are hidden from him; null for none. */
  readonly hidden: readonly string[] | null;
};

/** What a change of decisions is of. */
export type DecisionsOf = OfMerge & {
  /** Ids of the merge's sources. */
  readonly sources: readonly string[];
  readonly commandId: string;
};

/** What asks the read model. */
type Reads = Pick<CommonQueryMethods, "any">;

/**
 * The events that make the decisions of a merge those that are wanted. Those about events of hidden sources stay: who
 * asks cannot name them.
 * @throws Refusal VALIDATION_ERROR
 */
export async function* replacing(
  statements: Reads,
  of: DecisionsOf,
  wanted: readonly MergeDecision[],
): AsyncGenerator<CatalogueEvent> {
  const present = await readDecisions(statements, of.catalogueId);
  const shown = present.filter((decision) => !names(decision, of.hidden));
  const others = present.filter((decision) => names(decision, of.hidden));
  const change = replaceDecisions(shown.map(spoken), wanted, (index) =>
    deriveEventId(of.commandId, "decision", index),
  );
  await requireSound(statements, of, change.made, [...wanted, ...others.map(spoken)]);
  yield* decisionEvents(of.catalogueId, change);
}

/**
 * The events that add a decision; none where one says the same already, of which `id` is then.
 * @throws Refusal VALIDATION_ERROR
 */
export async function adding(statements: Reads, of: DecisionsOf, decision: MergeDecision) {
  const present = (await readDecisions(statements, of.catalogueId)).map(spoken);
  const saying = sayingOf(decision);
  const known = present.find((one) => sayingOf(one) === saying);
  if (known !== undefined) return { id: known.id, events: [] };
  const id = deriveEventId(of.commandId, "decision", 0);
  await requireSound(statements, of, [decision], [decision, ...present]);
  const change = { withdrawn: [], made: [{ id, ...decision }] };
  return { id, events: [...decisionEvents(of.catalogueId, change)] };
}

/** @param made those that are new, of `holding`, which hold then */
async function requireSound(
  statements: Reads,
  of: DecisionsOf,
  made: readonly MergeDecision[],
  holding: readonly MergeDecision[],
): Promise<void> {
  requireFew(holding.length);
  await requireDecidable(statements, of, made, holding);
}

/** Whether a decision names an event of a hidden source. */
export function names({ events }: DecisionRow, hidden: OfMerge["hidden"]): boolean {
  return hidden !== null && events.some(({ catalogue_id }) => hidden.includes(catalogue_id));
}

function spoken({ id, type, events, note }: DecisionRow): MadeDecision {
  return { id, type, events, ...(note !== null && { note }) };
}

/**
 * Whether decisions are about events that sources of the merge have or had, and agree with each other.
 * @param made those that are looked up
 * @param holding all that hold then
 * @throws Refusal VALIDATION_ERROR that names the pair of events, or the event
 */
export async function requireDecidable(
  statements: Reads,
  { sources, reader }: Pick<DecisionsOf, "sources" | "reader">,
  made: readonly MergeDecision[],
  holding: readonly MergeDecision[],
): Promise<void> {
  const contradiction = checkDecisions(holding);
  if (contradiction !== null) {
    throw invalid(
      "decisions",
      contradictionText(contradiction, (index) => nameOf(holding, index)),
    );
  }
  if (made.length === 0) return;
  const keys = await sourceKeys(statements, sources, reader);
  for (const [catalogueId, events] of Map.groupBy(
    made.flatMap(({ events }) => events),
    ({ catalogue_id }) => catalogue_id,
  )) {
    const key = keys.get(catalogueId);
    const [first] = events;
    const ids = events.map(({ event_id }) => event_id);
    const unknown =
      key === undefined ? first?.event_id : await firstUnknown(statements, { key }, ids);
    if (unknown) throw unknownEvent(made, { catalogue_id: catalogueId, event_id: unknown });
  }
}

/** By its place in the request, or by its id where it held before. */
function nameOf(holding: readonly (MergeDecision | MadeDecision)[], index: number): string {
  const decision = holding[index];
  return decision && "id" in decision ? `the decision ${decision.id}` : `decisions[${index}]`;
}

function unknownEvent(made: readonly MergeDecision[], event: DecidedEvent) {
  const isIt = (one: DecidedEvent) =>
    one.catalogue_id === event.catalogue_id && one.event_id === event.event_id;
  const others = made.find(({ events }) => events.some(isIt))?.events.filter((one) => !isIt(one));
  const pair = [event, ...(others ?? []).slice(0, 1)]
    .map(({ catalogue_id, event_id }) => `${event_id} of ${catalogue_id}`)
    .join(" and ");
  return invalid("decisions", `of ${pair}, the first is an event of no source`);
}

/** The decisions of a body. @throws Refusal INVALID_JSON, VALIDATION_ERROR */
export function submittedDecisions(body: Uint8Array): readonly MergeDecision[] {
  return validate(SetDecisionsBody, parseBody(body)).decisions;
}

/** Who decided is for signed-in callers. */
export type ShownTo = { readonly isGuest: boolean };

export type DecidedMerge = Pick<MergeRow, "id" | "latest" | "hidden">;

/**
 * The decisions of a merge as its reader may see them: nothing is told of events of hidden sources, not even whether
 * they are there.
 */
export async function shownDecisions(
  statements: Reads,
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
  statements: Reads,
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

/**
 * The decisions that are not idle, about the events that theirs are now.
 * @param client in a transaction with isolation REPEATABLE READ
 * @param sources at their latest versions
 * @param decisions the oldest first
 */
export async function decisionsInForce(
  client: ClientBase,
  sources: readonly SourceVersion[],
  decisions: readonly PlainDecision[],
): Promise<PlainDecision[]> {
  const now = await presentDecisions(client, sources, decisions);
  return now.filter(({ isIdle }) => !isIdle);
}

/** All of them, about the events that theirs are now. */
export async function presentDecisions(
  client: ClientBase,
  sources: readonly SourceVersion[],
  decisions: readonly PlainDecision[],
): Promise<(PlainDecision & { readonly isIdle: boolean })[]> {
  if (decisions.length === 0) return [];
  const present = await presentEvents(statementsOn(client), sources, decisions);
  const now = decisions.map(({ type }, index) => ({ type, events: present[index] ?? [] }));
  const idle = idleDecisions(now);
  return now.map((decision, index) => ({ ...decision, isIdle: idle[index] ?? true }));
}

/**
 * Collects the rows of the events of decisions, while all events are read.
 * @param decisions in force
 */
export function createRowDecisions(decisions: readonly PlainDecision[]) {
  const rows = new Map<string, number | null>(
    decisions.flatMap(({ events }) => events.map(({ event_id: id }) => [id, null])),
  );

  function rowsOf({ events }: PlainDecision): number[] {
    return events.flatMap(({ event_id: id }: DecidedEvent) => rows.get(id) ?? []);
  }

  return {
    /** @param id of the event of the row */
    see(id: string, row: number): void {
      if (rows.size > 0 && rows.has(id)) rows.set(id, row);
    },
    /** Of events that were not among those that were read nothing is said. */
    finish(): RowDecisions {
      const ofType = (type: PlainDecision["type"]) =>
        decisions
          .filter((decision) => decision.type === type)
          .map(rowsOf)
          .filter(({ length }) => length > 1);
      return { same: ofType("same"), different: ofType("different") };
    },
  };
}
