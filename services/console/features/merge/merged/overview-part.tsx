import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { call } from "../../../api/call.ts";
import { ErrorNotice } from "../../../ui/call/error-notice.tsx";
import { refusedFields, useSubmit } from "../../../ui/form/use-submit.ts";
import { Table } from "../../../ui/table.tsx";
import { count } from "../../../ui/text/format.ts";
import { Moment } from "../../../ui/text/moment.tsx";
import { ConfigPart } from "../config/config-part.tsx";
import { type ConfigForm, configOf, formOfConfig } from "../config/merge-body.ts";
import { type Merged, type MergedCatalogue, type MergedFrom, nameOf, sourcesOf } from "./merged.ts";
import { RefreshPart, type RefreshPreview } from "./refresh-part.tsx";
import { SettingsFacts } from "./settings-facts.tsx";

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

/** How a merge that keeps itself up fares; nothing of one that does not. */
function FollowLine({ follow }: Pick<Merged, "follow">) {
  if (!follow) return null;
  const { parked, failures, error, last_run } = follow;
  if (parked) {
    return (
      <div class="notice error" role="alert">
        <span>
          It no longer refreshes by itself: it failed {failures} times, the last time because{" "}
          {error ?? "of an unknown fault"}. A refresh by hand that succeeds sets it going again.
        </span>
      </div>
    );
  }
  return (
    <p class="muted">
      It refreshes by itself when a source changes
      {last_run !== null && (
        <>
          , last <Moment at={last_run} />
        </>
      )}
      .{failures > 0 && error !== null && ` The last attempt failed: ${error}.`}
    </p>
  );
}

/** The sources of a merge, and whether each has moved on since. */
function SourcesTable({ sources }: { readonly sources: readonly MergedFrom[] }) {
  return (
    <Table
      label="Sources and their versions"
      columns={["Source", { number: "In this merge" }, { number: "Latest" }, "State"]}
    >
      {sources.map((source, index) => (
        <tr key={source.id ?? index}>
          <td>
            {source.id === null ? (
              <span class="muted">{nameOf(source)}</span>
            ) : (
              <Link href={`/catalogues/${source.id}`}>{nameOf(source)}</Link>
            )}
            {source.label !== null && source.name !== null && source.name !== source.label && (
              <span class="muted small"> {source.name}</span>
            )}
          </td>
          <td class="number">version {count(source.version)}</td>
          <td class="number">{source.latest === null ? "–" : `version ${count(source.latest)}`}</td>
          <td>
            <State source={source} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function State({ source: { id, version, latest } }: { readonly source: MergedFrom }) {
  if (latest === null) {
    return id === null ? null : <span class="badge bad">deleted</span>;
  }
  if (latest === version) return <span class="badge good">up to date</span>;
  return (
    <span class="row">
      <span class="badge warning">newer version</span>
      {id !== null && (
        <Link href={`/catalogues/${id}/versions?from=${version}&to=${latest}`}>what changed</Link>
      )}
    </span>
  );
}
