import type { ChangeKind } from "../../api/diff.ts";
import { cssOf } from "../../drawing/colours.ts";
import { colourOf } from "./kinds.ts";

/** A disc in the colour that the map has for a kind of changes; the word stands beside it. */
export function KindMark({ kind }: { readonly kind: ChangeKind }) {
  return (
    <svg class="kind-mark" viewBox="0 0 12 12" aria-hidden="true">
      <circle cx="6" cy="6" r="5" fill={cssOf(colourOf(kind))} />
    </svg>
  );
}
