import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { refusedFields, useSubmit } from "../../ui/form/use-submit.ts";
import { Steps } from "../../ui/steps.tsx";
import { ConfigPart } from "./config/config-part.tsx";
import type { Decided } from "./config/decided.ts";
import { NO_ENTRIES, useEntries } from "./config/entries.ts";
import { type MergeForm, mergeBodyOf, type Preview } from "./config/merge-body.ts";
import { SourcesPart } from "./config/sources-part.tsx";
import { PreviewPart } from "./preview-part.tsx";
import { RunPart } from "./run-part.tsx";

export const STEPS = ["Sources", "Thresholds", "Preview", "Merge"];

const LEAST_SOURCES = 2;

type MergeWizardProps = { readonly onStarted: (operation: string) => void };

/** Nothing is merged before its preview has been seen. */
export function MergeWizard({ onStarted }: MergeWizardProps) {
  const { entries, preview, set, decide, again, submit, error, isBusy, problemOf } = usePreview();
  const { form, name } = entries.value;
  const hasSources = form.sources.length >= LEAST_SOURCES;
  return (
    <>
      <Steps names={STEPS} at={stepOf(hasSources, preview.value !== null, name)} />
      <form class="columns wide" onSubmit={submit}>
        <SourcesPart
          sources={form.sources}
          problemOf={problemOf}
          onSources={(sources) => set({ sources, priority: "", decided: [] })}
        />
        <div class="stack">
          <ConfigPart
            form={form}
            labels={form.sources.map(({ label }) => label)}
            set={set}
            problemOf={problemOf}
            refused={refusedFields(error.value)}
          />
          <p class="muted">
            If the events tell which earthquake they are,{" "}
            <Link href="/merge/evaluate">evaluate thresholds</Link> by that.
          </p>
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
          <PreviewPart
            preview={preview.value}
            form={form}
            onDecided={decide}
            again={again.value && { isBusy: isBusy.value, run: submit }}
          />
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
  const entries = useEntries();
  const preview = useSignal<Preview | null>(null);
  /** Something has been decided since the preview was made. */
  const again = useSignal(false);
  const abort = useRef(new AbortController());
  const { form, name, isPreviewed } = entries.value;
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    const body = mergeBodyOf(form, "");
    try {
      preview.value = await call("POST /api/merge/preview", { body }, { signal });
      again.value = false;
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
  // The preview stays in sight: others are decided in it.
  const decide = (decided: readonly Decided[]) => {
    entries.value = { ...entries.value, form: { ...form, decided } };
    again.value = true;
  };
  return { entries, preview, set, decide, again, submit, error, isBusy, problemOf };
}

/** Each step begins when the one before has what it needs. */
function stepOf(hasSources: boolean, hasPreview: boolean, name: string): number {
  if (!hasSources) return 0;
  if (!hasPreview) return 1;
  return name.trim() === "" ? 2 : 3;
}
