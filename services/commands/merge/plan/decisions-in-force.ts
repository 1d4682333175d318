import type { ClientBase } from "pg";
import type { DecidedEvent } from "#contracts/merge/merge-decision.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { presentEvents } from "#projections/read/merges/decisions.ts";
import type { SourceVersion } from "#projections/read/merges/sources.ts";
import { type DecidedGroup, idleDecisions } from "#services/domain/merges/decisions.ts";
import type { RowDecisions } from "#services/domain/merges/grouping/group-events.ts";

/**
 * The decisions that are not idle, about the events that theirs are now.
 * @param client in a transaction with isolation REPEATABLE READ
 * @param sources at their latest versions
 * @param decisions the oldest first
 */
export async function decisionsInForce(
  client: ClientBase,
  sources: readonly SourceVersion[],
  decisions: readonly DecidedGroup[],
): Promise<DecidedGroup[]> {
  const now = await presentDecisions(client, sources, decisions);
  return now.filter(({ isIdle }) => !isIdle);
}

/** All of them, about the events that theirs are now. */
export async function presentDecisions(
  client: ClientBase,
  sources: readonly SourceVersion[],
  decisions: readonly DecidedGroup[],
): Promise<(DecidedGroup & { readonly isIdle: boolean })[]> {
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
export function createRowDecisions(decisions: readonly DecidedGroup[]) {
  const rows = new Map<string, number | null>(
    decisions.flatMap(({ events }) => events.map(({ event_id: id }) => [id, null])),
  );

  function rowsOf({ events }: DecidedGroup): number[] {
    return events.flatMap(({ event_id: id }: DecidedEvent) => rows.get(id) ?? []);
  }

  return {
    /** @param id of the event of the row */
    see(id: string, row: number): void {
      if (rows.size > 0 && rows.has(id)) rows.set(id, row);
    },
    /** Of events that were not among those that were read nothing is said. */
    finish(): RowDecisions {
      const ofType = (type: DecidedGroup["type"]) =>
        decisions
          .filter((decision) => decision.type === type)
          .map(rowsOf)
          .filter(({ length }) => length > 1);
      return { same: ofType("same"), different: ofType("different") };
    },
  };
}
