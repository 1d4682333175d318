import { isDeepStrictEqual } from "node:util";
import { mergeBounds } from "#contracts/domain-events/bounds.ts";
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { COLUMN_NAMES } from "#contracts/seismic-event/event-columns.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { boundsWithout } from "#projections/read/edits.ts";
import type { BoundName } from "#services/domain/catalogues/catalogue.ts";
import type { CommandContext } from "../context.ts";

/** A version of a catalogue's events; `key` is the read model's, for queries. */
export type BaseVersion = { readonly key: number; readonly version: number };

/** The version with which given events are compared. */
export type ChangeTarget = BaseVersion & {
  /** The version that the change makes. */
  readonly nextVersion: number;
  /** Whether it has any events. */
  readonly hasEvents: boolean;
  readonly bounds: Bounds;
};

/** A target with its catalogue's id. */
export type CatalogueTarget = ChangeTarget & { readonly id: string };

/** The changes of a revision that affect its catalogue's totals. */
export type Changes = {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Bounds of the added and updated events. */
  readonly bounds: Bounds;
  /** Bounds of the base version on which an updated or removed event lay; they may shrink. */
  readonly touched: readonly BoundName[];
  /** Ids of all updated or removed events, if a bound is touched. */
  readonly goneIds: readonly string[];
};

/** A catalogue's bounds after a revision; bounds that may shrink are looked up again. */
export async function boundsAfter(
  { pool }: Pick<CommandContext, "pool">,
  before: Bounds,
  base: BaseVersion,
  { bounds, touched, goneIds }: Changes,
): Promise<Bounds> {
  const shrunk = await boundsWithout(pool, base, goneIds, touched);
  return mergeBounds({ ...before, ...shrunk }, bounds);
}

/** Changes with the bounds of their catalogue after them. */
export async function totalsAfter(
  context: Pick<CommandContext, "pool">,
  base: ChangeTarget,
  changes: Changes,
): Promise<Pick<Changes, "added" | "updated" | "removed" | "bounds">> {
  return { ...changes, bounds: await boundsAfter(context, base.bounds, base, changes) };
}

/** Whether two records are equal; a time with a different number of digits is a different time. */
export function sameRecord(
  a: SeismicEventRecord | SeismicEvent,
  b: SeismicEventRecord | SeismicEvent,
): boolean {
  return COLUMN_NAMES.every(
    (name) =>
      a[name] === b[name] || (typeof a[name] === "object" && isDeepStrictEqual(a[name], b[name])),
  );
}
