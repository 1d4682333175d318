import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useDraft } from "../../ui/form/use-draft.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { Steps } from "../../ui/steps.tsx";
import { ConfigPart } from "./config-part.tsx";
import { type MergeForm, mergeBodyOf, NEW_FORM, type Preview } from "./merge-body.ts";
import { PreviewPart } from "./preview-part.tsx";
import { RunPart } from "./run-part.tsx";
import { SourcesPart } from "./sources-part.tsx";

export const STEPS = ["Sources", "Thresholds", "Preview", "Merge"];

const LEAST_SOURCES = 2;

type MergeWizardProps = { readonly onStarted: (operation: string) => void };

type Entries = {
  readonly form: MergeForm;
  readonly name: string;
  /** Its preview has been seen: after a reload it is asked for again. */
  readonly isPreviewed: boolean;
};

const NO_ENTRIES: Entries = { form: NEW_FORM, name: "", isPreviewed: false };

/** Nothing is merged before its preview has been seen. */
export function MergeWizard({ onStarted }: MergeWizardProps) {
  const { entries, preview, set, submit, error, isBusy, problemOf } = usePreview();
  const { form, name } = entries.value;
  const hasSources = form.sources.length >= LEAST_SOURCES;
  return (
    <>
      <Steps names={STEPS} at={stepOf(hasSources, preview.value !== null, name)} />
      <form class="columns wide" onSubmit={submit}>
        <SourcesPart
          sources={form.sources}
          problemOf={problemOf}
          onSources={(sources) => set({ sources, priority: "" })}
        />
        <div class="stack">
          <ConfigPart form={form} set={set} problemOf={problemOf} />
          <ErrorNotice error={error.value} />
          <div class="row">
            <button
              type="submit"
              class={preview.value === null ? "primary" : undefined}
              disabled={isBusy.value || !hasSources}
            >
              {isBusy.value ? "Looking for pairs…" : "Preview"}
            </button>
            <span class="muted">
              {hasSources
                ? "Nothing is written before you have seen it."
                : "Choose at least two catalogues."}
            </span>
          </div>
        </div>
      </form>
      {preview.value !== null && (
        <>
          <PreviewPart preview={preview.value} form={form} />
          <RunPart
            form={form}
            name={name}
            onName={(typed) => (entries.value = { ...entries.value, name: typed })}
            onStarted={(operation) => {
              entries.value = NO_ENTRIES;
              onStarted(operation);
            }}
          />
        </>
      )}
    </>
  );
}

/** What is entered, and its preview, which another entry makes void. */
function usePreview() {
  const entries = useDraft<Entries>("merge", NO_ENTRIES);
  const preview = useSignal<Preview | null>(null);
  const abort = useRef(new AbortController());
  const { form, name, isPreviewed } = entries.value;
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    const body = mergeBodyOf(form, "");
    try {
      preview.value = await call("POST /api/merge/preview", { body }, { signal });
      entries.value = { ...entries.value, isPreviewed: true };
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  });
  useEffect(() => {
    if (isPreviewed) submit(new Event("submit"));
    return () => abort.current.abort();
  }, []);
  const set = (change: Partial<MergeForm>) => {
    abort.current.abort();
    entries.value = { name, form: { ...form, ...change }, isPreviewed: false };
    preview.value = null;
  };
  return { entries, preview, set, submit, error, isBusy, problemOf };
}

/** Each step begins when the one before has what it needs. */
function stepOf(hasSources: boolean, hasPreview: boolean, name: string): number {
  if (!hasSources) return 0;
  if (!hasPreview) return 1;
  return name.trim() === "" ? 2 : 3;
}
