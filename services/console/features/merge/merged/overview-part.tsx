import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../../../api/call.ts";
import { ErrorNotice } from "../../../ui/call/error-notice.tsx";
import { refusedFields, useSubmit } from "../../../ui/form/use-submit.ts";
import { ConfigPart } from "../config/config-part.tsx";
import { type ConfigForm, configOf, formOfConfig } from "../config/merge-body.ts";
import { FollowLine } from "./follow-line.tsx";
import { type MergedCatalogue, sourcesOf } from "./merged.ts";
import { RefreshPart, type RefreshPreview } from "./refresh-part.tsx";
import { SettingsFacts } from "./settings-facts.tsx";
import { SourcesTable } from "./sources-table.tsx";

type OverviewPartProps = MergedCatalogue & {
  readonly mayChange: boolean;
  readonly onStarted: (operation: string) => void;
};

/** What a merge is made of and how, and what a refresh of it would change. */
export function OverviewPart({ mayChange, onStarted, ...made }: OverviewPartProps) {
  const { catalogue, merged } = made;
  const sources = sourcesOf(made);
  const refresh = useRefresh(made);
  const { form, preview, body, submit, error, isBusy, problemOf } = refresh;
  return (
    <>
      <form class="columns wide" onSubmit={submit}>
        <section class="panel" aria-label="Sources">
          <h2>Sources</h2>
          <p>
            {merged.behind
              ? "Some sources have changed since this catalogue was merged. A refresh takes in what they have now."
              : "This catalogue has what its sources have."}
          </p>
          <SourcesTable sources={sources} />
          <FollowLine follow={merged.follow} />
          {mayChange && (
            <>
              <ErrorNotice error={error.value} />
              <div class="row">
                <button
                  type="submit"
                  class={preview.value === null ? "primary" : undefined}
                  disabled={isBusy.value}
                >
                  {isBusy.value ? "Looking at what changes…" : "See what a refresh changes"}
                </button>
                <span class="muted">Nothing is written before you have seen it.</span>
              </div>
            </>
          )}
        </section>
        {form.value === null ? (
          <section class="panel" aria-label="Settings">
            <h2>Settings</h2>
            <SettingsFacts config={merged.config} />
            {mayChange && (
              <div class="row">
                <button type="button" onClick={() => refresh.edit(formOfConfig(merged.config))}>
                  Change…
                </button>
              </div>
            )}
          </section>
        ) : (
          <div class="stack">
            <ConfigPart
              form={form.value}
              labels={sources.flatMap(({ label }) => (label === null ? [] : [label]))}
              set={(change) => form.value && refresh.edit({ ...form.value, ...change })}
              problemOf={problemOf}
              refused={refusedFields(error.value)}
            />
            <div class="row">
              <button type="button" onClick={() => refresh.edit(null)}>
                Leave the settings as they are
              </button>
              <span class="muted">They hold from the next refresh on.</span>
            </div>
          </div>
        )}
      </form>
      {preview.value !== null && (
        <RefreshPart
          catalogue={catalogue.id}
          preview={preview.value}
          body={body()}
          onStarted={onStarted}
          onCancel={() => {
            preview.value = null;
          }}
        />
      )}
    </>
  );
}

/** The settings as they are changed, and what a refresh with them would do; another change makes that void. */
function useRefresh({ catalogue: { id, version } }: MergedCatalogue) {
  const form = useSignal<ConfigForm | null>(null);
  const preview = useSignal<RefreshPreview | null>(null);
  const abort = useRef(new AbortController());
  const body = () => (form.value === null ? {} : { config: configOf(form.value) });
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      preview.value = await call(
        "POST /api/catalogues/:id/merge/preview",
        { params: { id }, body: body() },
        { signal },
      );
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  });
  useEffect(() => {
    preview.value = null;
    return () => abort.current.abort();
  }, [id, version]);
  const edit = (changed: ConfigForm | null) => {
    abort.current.abort();
    preview.value = null;
    form.value = changed;
  };
  return { form, preview, body, edit, submit, error, isBusy, problemOf };
}
