import { at } from "../columns.ts";

export const NO_GROUP = -1;
export const NO_EVENT = -1;

/** An event of a merged catalogue before a refresh, and where its members are now. */
export type FormerEvent = {
  /** The group of the member that was chosen when the event was made; NO_GROUP where that is no more. */
  readonly founder: number;
  /** The group of each of its members that is still there. */
  readonly members: readonly number[];
  /** How many members it had. */
  readonly size: number;
};

/** The group that goes on with an event, and how many of its members are in it. */
export type Heir = { readonly group: number; readonly shared: number };

/**
 * The heir of an event (infra/decisions/0047): the group of its founder, else the one with more than half of its
 * members; null for none.
 */
export function heirOf({ founder, members, size }: FormerEvent): Heir | null {
  const shared = (group: number) => members.filter((one) => one === group).length;
  if (founder !== NO_GROUP) return { group: founder, shared: shared(founder) };
  for (const group of new Set(members)) {
    const count = shared(group);
    if (2 * count > size) return { group, shared: count };
  }
  return null;
}

/**
 * Which event each group goes on with. Of several whose heir it is, the one with most members in it; of these
 * the oldest, which is offered first.
 * @param groups how many there are
 */
export function createHeirs(groups: number) {
  const eventOf = new Int32Array(groups).fill(NO_EVENT);
  const sharedWith = new Int32Array(groups);
  return {
    /** @param event its place in the order of the ids, in which events are offered */
    offer(event: number, former: FormerEvent): void {
      const heir = heirOf(former);
      if (heir === null) return;
      const { group, shared } = heir;
      const isFirst = at(eventOf, group) === NO_EVENT;
      if (!isFirst && shared <= at(sharedWith, group)) return;
      eventOf[group] = event;
      sharedWith[group] = shared;
    },
    /** NO_EVENT for a group that is new. */
    eventOf: (group: number): number => at(eventOf, group),
  };
}
