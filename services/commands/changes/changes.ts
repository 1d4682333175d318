import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { mergeBounds } from "#contracts/seismic-event/bounds.ts";
import { boundsWithout } from "#projections/queries/edit-queries.ts";
import type { BoundName } from "#services/domain/catalogue/touched-bounds.ts";
import type { CommandContext } from "../context.ts";

/** The events of a catalogue as one version has them: `key` is the read model's, for queries. */
export type BaseVersion = { readonly key: number; readonly version: number };

/** The version that given events are compared with. */
export type ChangeTarget = BaseVersion & {
  /** Whether it has any events. */
  readonly hasEvents: boolean;
  readonly bounds: Bounds;
};

/** What a revision changes, as far as the totals of its catalogue depend on it. */
export type Changes = {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Of the events added and updated. */
  readonly bounds: Bounds;
  /** Bounds of the base version on which an event lay that is updated or removed: they may shrink. */
  readonly touched: readonly BoundName[];
  /** The ids of all events updated or removed, where a bound is touched. */
  readonly goneIds: readonly string[];
};

/** Bounds of a catalogue after a revision; those that may shrink are looked up anew. */
export async function boundsAfter(
  { pool }: Pick<CommandContext, "pool">,
  before: Bounds,
  base: BaseVersion,
  { bounds, touched, goneIds }: Changes,
): Promise<Bounds> {
  const shrunk = await boundsWithout(pool, base, goneIds, touched);
  return mergeBounds({ ...before, ...shrunk }, bounds);
}
