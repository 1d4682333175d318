import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { createAttempts } from "../../api/attempts.ts";
import { call } from "../../api/call.ts";
import { startOperation } from "../../api/start-operation.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { Steps } from "../../ui/steps.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { ConfigPart } from "./config-part.tsx";
import { type MergeForm, mergeBodyOf, NEW_FORM, type Preview } from "./merge-body.ts";
import { PreviewPart } from "./preview-part.tsx";
import { SourcesPart } from "./sources-part.tsx";

export const STEPS = ["Sources", "Thresholds and strategy", "Preview", "Merged catalogue"];

const LEAST_SOURCES = 2;

type MergeWizardProps = { readonly onStarted: (operation: string) => void };

/** Nothing is merged before its preview has been seen. */
export function MergeWizard({ onStarted }: MergeWizardProps) {
  const form = useSignal<MergeForm>(NEW_FORM);
  const preview = useSignal<Preview | null>(null);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    const body = mergeBodyOf(form.value, "");
    try {
      preview.value = await call("POST /api/merge/preview", { body }, { signal });
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  });
  const set = (change: Partial<MergeForm>) => {
    abort.current.abort();
    form.value = { ...form.value, ...change };
    preview.value = null;
  };
  const hasSources = form.value.sources.length >= LEAST_SOURCES;
  const step = preview.value !== null ? 2 : hasSources ? 1 : 0;
  return (
    <>
      <Steps names={STEPS} at={step} />
      <form onSubmit={submit}>
        <SourcesPart
          sources={form.value.sources}
          onSources={(sources) => set({ sources, priority: "" })}
        />
        {hasSources && <ConfigPart form={form.value} set={set} problemOf={problemOf} />}
        {error.value !== null && <ErrorNotice error={error.value} />}
        <div class="row">
          <button
            type="submit"
            class={preview.value === null ? "primary" : undefined}
            disabled={isBusy.value || !hasSources}
          >
            {isBusy.value ? "Looking for pairs…" : "Preview"}
          </button>
          {!hasSources && <span class="muted">Choose at least two catalogues.</span>}
        </div>
      </form>
      {preview.value !== null && (
        <>
          <PreviewPart preview={preview.value} sources={form.value.sources} />
          <RunPart form={form.value} onStarted={onStarted} />
        </>
      )}
    </>
  );
}

type RunPartProps = MergeWizardProps & { readonly form: MergeForm };

function RunPart({ form, onStarted }: RunPartProps) {
  const name = useSignal("");
  const attempts = useRef(createAttempts());
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = mergeBodyOf(form, name.value);
    onStarted(
      await attempts.current.run(body, (key) => startOperation("POST /api/merge", { body }, key)),
    );
  });
  return (
    <section class="panel" aria-label="Merged catalogue">
      <h2>Merged catalogue</h2>
      <form onSubmit={submit}>
        <Field
          label="Name"
          required
          hint="It is private until it is published; the sources stay as they are."
          value={name.value}
          problem={problemOf("name")}
          onValue={(value) => {
            name.value = value;
          }}
        />
        {error.value !== null && <ErrorNotice error={error.value} />}
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBusy.value ? "Starting…" : "Merge"}
          </button>
        </div>
      </form>
    </section>
  );
}
