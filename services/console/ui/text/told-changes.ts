import { count } from "./format.ts";

type Changed = { readonly added: number; readonly updated: number; readonly removed: number };

/** What a version changed: "20 added, 1 removed"; "no event" where it changed none. */
export function toldChanges({ added, updated, removed }: Changed): string {
  const parts = Object.entries({ added, updated, removed }).filter(([, number]) => number > 0);
  if (parts.length === 0) return "no event changed";
  return parts.map(([kind, number]) => `${count(number)} ${kind}`).join(", ");
}
