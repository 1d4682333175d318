import { useSignal } from "@preact/signals";
import { count } from "../../ui/format.ts";
import { MergeCountsLine } from "../operations/merge-counts.tsx";
import { AmbiguousPairs } from "./ambiguous-pairs.tsx";
import { Groups } from "./groups.tsx";
import type { Preview, Source } from "./merge-body.ts";

type PreviewPartProps = { readonly preview: Preview; readonly sources: readonly Source[] };

/** What the merge would do, and the pairs that a person should look at. */
export function PreviewPart({ preview, sources }: PreviewPartProps) {
  const { groups, ambiguous, truncated } = preview;
  const tab = useSignal<"ambiguous" | "groups">(ambiguous.length > 0 ? "ambiguous" : "groups");
  const names = {
    ambiguous: `Ambiguous pairs (${count(ambiguous.length)})`,
    groups: `Groups (${count(groups.length)})`,
  };
  return (
    <section class="panel" aria-label="Preview">
      <h2>Preview</h2>
      <MergeCountsLine counts={preview} />
      <div class="row">
        {(["ambiguous", "groups"] as const).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={tab.value === name}
            onClick={() => {
              tab.value = name;
            }}
          >
            {names[name]}
          </button>
        ))}
        {truncated && (
          <span class="muted">There are more; the first 1,000 of each are listed.</span>
        )}
      </div>
      {tab.value === "ambiguous" ? (
        <AmbiguousPairs pairs={ambiguous} sources={sources} />
      ) : (
        <Groups groups={groups} sources={sources} />
      )}
    </section>
  );
}
