import type { Change, ChangeKind } from "../../api/diff.ts";
import type { Classes } from "../../map/classes.ts";
import { GREY, KIND_COLOURS } from "../../map/colours.ts";

const KINDS: readonly ChangeKind[] = ["added", "updated", "removed"];

/** Changed events by what happened to them, for a map. */
export function kindClasses(changes: readonly Change[]): Classes {
  return {
    title: "Change",
    isLocal: false,
    classes: KINDS.map((label, i) => ({ label, colour: KIND_COLOURS[i] ?? GREY })),
    classOf: Uint8Array.from(changes, ({ change }) => KINDS.indexOf(change)),
  };
}
