import { registerAccount, requestRole, resetPassword } from "./account-actions.ts";
import type { Action, ActionDeps } from "./action.ts";
import {
  addEvents,
  createCatalogue,
  deleteCatalogue,
  mergeCatalogues,
  renameCatalogue,
  restoreVersion,
} from "./catalogue-actions.ts";
import { importEvents } from "./import-events.ts";

/** What a client does, by how often. */
const ACTIONS: readonly (readonly [Action, weight: number])[] = [
  [createCatalogue, 3],
  [addEvents, 6],
  [renameCatalogue, 3],
  [deleteCatalogue, 1.5],
  [mergeCatalogues, 1.5],
  [restoreVersion, 2],
  [importEvents, 2],
  [registerAccount, 1],
  [resetPassword, 2],
  [requestRole, 0.5],
];

/** One write after the other until `signal` aborts; the one at hand is brought to its end. */
export async function runClient(deps: ActionDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await choose(ACTIONS, deps.random)(deps);
}

/** One of `weighted`, at random. */
export function choose<T>(
  weighted: readonly (readonly [T, weight: number])[],
  random: () => number,
): T {
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [item, weight] of weighted) {
    left -= weight;
    if (left < 0) return item;
  }
  throw new RangeError("nothing to choose from");
}
