import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { MergeCountsLine } from "../../jobs/merge-counts.tsx";
import { Segmented } from "../../ui/form/segmented.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { listedCounts } from "./clusters/listed-counts.ts";
import type { Decided } from "./config/decided.ts";
import type { MergeForm, Preview } from "./config/merge-body.ts";
import { type Listed, ListedPart } from "./listed-part.tsx";

/** Groups, and pairs, in one answer. */
const MERGE_PREVIEW_MOST = 1_000;

type PreviewPartProps = {
  readonly preview: Preview;
  /** What it was made of. */
  readonly form: MergeForm;
  readonly onDecided: (decided: readonly Decided[]) => void;
  /** Makes it again, where something has been decided since; false where nothing has. */
  readonly again: false | { readonly isBusy: boolean; readonly run: (event: Event) => void };
};

/** What the merge would do, and the pairs that a person should look at. */
export function PreviewPart({ preview, form, onDecided, again }: PreviewPartProps) {
  const listed = useSignal<Listed>(preview.ambiguous.length > 0 ? "ambiguous" : "groups");
  const counts = listedCounts(preview);
  const { decided } = form;
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: "start" }), []);
  return (
    <section class="stack merge-preview" aria-label="Preview" ref={section}>
      <h2>Preview</h2>
      <MergeCountsLine counts={preview} />
      {again && (
        <div class="notice" role="status">
          <span>
            {decided.length === 0
              ? "Nothing is decided any more."
              : `${counted(decided.length, "pair")} decided. The merge does as you say.`}
          </span>
          <button type="button" disabled={again.isBusy} onClick={again.run}>
            {again.isBusy ? "Looking…" : "Preview again"}
          </button>
        </div>
      )}
      <Segmented
        legend="What is listed"
        hasHiddenLegend
        value={listed.value}
        options={[
          { value: "ambiguous", text: `Doubtful pairs (${counts.ambiguous})` },
          { value: "groups", text: `Groups (${counts.groups})` },
          ...(decided.length > 0 || listed.value === "decided"
            ? [{ value: "decided" as const, text: `Decided (${count(decided.length)})` }]
            : []),
        ]}
        onValue={(value) => {
          listed.value = value;
        }}
      />
      {preview.truncated && (
        <p class="muted">
          At most {count(MERGE_PREVIEW_MOST)} of each are listed; the merge takes all of them.
        </p>
      )}
      <ListedPart
        key={listed.value}
        listed={listed.value}
        preview={preview}
        form={form}
        onDecided={onDecided}
      />
    </section>
  );
}
