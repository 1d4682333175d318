import type { Change, ChangeKind } from "../../api/diff.ts";
import type { Classes } from "../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../drawing/colours.ts";

export const KINDS: readonly ChangeKind[] = ["added", "updated", "removed"];

export function colourOf(kind: ChangeKind): (typeof KIND_COLOURS)[number] {
  return KIND_COLOURS[KINDS.indexOf(kind)] ?? GREY;
}

/** Changed events by what happened to them, for a map. */
export function kindClasses(changes: readonly Change[]): Classes {
  return {
    title: "Change",
    isLocal: false,
    classes: KINDS.map((label) => ({ label, colour: colourOf(label) })),
    classOf: Uint8Array.from(changes, ({ change }) => KINDS.indexOf(change)),
  };
}
