import type { Change, ChangeKind } from "../../api/diff.ts";
import type { Classes } from "../../map/classes.ts";
import type { Colour } from "../../map/discs.ts";

const KINDS: readonly ChangeKind[] = ["added", "updated", "removed"];

/** Blue, orange and reddish purple, which the colour-blind tell apart (Okabe and Ito, 2008). */
const COLOURS: readonly Colour[] = [
  [0, 114, 178],
  [230, 159, 0],
  [204, 121, 167],
];

/** Changed events by what happened to them, for a map. */
export function kindClasses(changes: readonly Change[]): Classes {
  return {
    title: "Change",
    isLocal: false,
    classes: KINDS.map((label, i) => ({ label, colour: COLOURS[i] ?? [0, 0, 0] })),
    classOf: Uint8Array.from(changes, ({ change }) => KINDS.indexOf(change)),
  };
}
