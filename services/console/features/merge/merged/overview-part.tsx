import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import type { MergeConfig } from "#contracts/merges/config.ts";
import { type AnswerOf, call, type InputOf } from "../../../api/call.ts";
import type { Change } from "../../../api/diff.ts";
import { startOperation } from "../../../jobs/operation.tsx";
import { ShownChanges } from "../../../map/changes.tsx";
import { addressOfEvent } from "../../../model/event-columns.ts";
import { ErrorNotice } from "../../../ui/call.tsx";
import { useAttempts } from "../../../ui/form/attempts.ts";
import { refusedFields, SubmitRow, useSubmit } from "../../../ui/form/submit.tsx";
import { Button, Facts, Panel } from "../../../ui/page.tsx";
import { Table } from "../../../ui/table.tsx";
import { count, decimal, toldChanges } from "../../../ui/text/format.ts";
import { Moment } from "../../../ui/text/moment.tsx";
import {
  type ConfigForm,
  configOf,
  formOfConfig,
  LINKAGES,
  STRATEGIES,
  type Strategy,
} from "../config/config.ts";
import { ConfigPart } from "../config/config-part.tsx";
import { formulaOf } from "../config/conversions-part.tsx";
import { usePreview } from "../config/use-preview.ts";
import {
  type Merged,
  type MergedCatalogue,
  type MergedFrom,
  nameOf,
  sourcesOf,
} from "./merged.tsx";

type OverviewPartProps = MergedCatalogue & {
  readonly mayChange: boolean;
  readonly onStarted: (operation: string) => void;
};

/** What a merge is made of and how, and what a refresh of it would change. */
export function OverviewPart({ mayChange, onStarted, ...made }: OverviewPartProps) {
  const { catalogue, merged } = made;
  const { id, version } = catalogue;
  const sources = sourcesOf(made);
  const form = useSignal<ConfigForm | null>(null);
  /** The settings as they are changed; empty for them as they are. */
  const body = form.value === null ? {} : { config: configOf(form.value) };
  const { preview, clear, ...submission } = usePreview((signal) =>
    call("POST /api/catalogues/:id/merge/preview", { params: { id }, body }, { signal }),
  );
  useEffect(clear, [id, version]);
  const edit = (changed: ConfigForm | null) => {
    clear();
    form.value = changed;
  };
  return (
    <>
      <form class="columns wide" onSubmit={submission.submit}>
        <Panel title="Sources" aria-label="Sources">
          <p>
            {merged.behind
              ? "Some sources have changed since this catalogue was merged. A refresh takes in what they have now."
              : "This catalogue has what its sources have."}
          </p>
          <SourcesTable sources={sources} />
          <FollowLine follow={merged.follow} />
          {mayChange && (
            <SubmitRow
              of={submission}
              text="See what a refresh changes"
              busy="Looking at what changes…"
              class={preview.value === null ? "primary" : ""}
            >
              <span class="muted">Nothing is written before you have seen it.</span>
            </SubmitRow>
          )}
        </Panel>
        {form.value === null ? (
          <Panel title="Settings" aria-label="Settings">
            <SettingsFacts config={merged.config} />
            {mayChange && (
              <div class="row">
                <Button onClick={() => edit(formOfConfig(merged.config))} text="Change…" />
              </div>
            )}
          </Panel>
        ) : (
          <div class="stack">
            <ConfigPart
              form={form.value}
              labels={sources.flatMap(({ label }) => (label === null ? [] : [label]))}
              set={(change) => form.value && edit({ ...form.value, ...change })}
              problemOf={submission.problemOf}
              refused={refusedFields(submission.error.value)}
            />
            <div class="row">
              <Button onClick={() => edit(null)} text="Leave the settings as they are" />
              <span class="muted">They hold from the next refresh on.</span>
            </div>
          </div>
        )}
      </form>
      {preview.value !== null && (
        <RefreshPart
          catalogue={catalogue.id}
          preview={preview.value}
          body={body}
          onStarted={onStarted}
          onCancel={clear}
        />
      )}
    </>
  );
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
      rows={sources}
      keyOf={(source) => source.id ?? sources.indexOf(source)}
      columns={[
        [
          "Source",
          (source) => (
            <>
              {source.id === null ? (
                <span class="muted">{nameOf(source)}</span>
              ) : (
                <Link href={`/catalogues/${source.id}`}>{nameOf(source)}</Link>
              )}
              {source.label !== null && source.name !== null && source.name !== source.label && (
                <span class="muted small"> {source.name}</span>
              )}
            </>
          ),
        ],
        ["In this merge", ({ version }) => `version ${count(version)}`, "number"],
        ["Latest", ({ latest }) => (latest === null ? "–" : `version ${count(latest)}`), "number"],
        ["State", (source) => <State source={source} />],
      ]}
    />
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

type RefreshPreview = AnswerOf<"POST /api/catalogues/:id/merge/preview">;
type RefreshBody = InputOf<"POST /api/catalogues/:id/merge/refresh">["body"];

type RefreshPartProps = {
  readonly catalogue: string;
  readonly preview: RefreshPreview;
  /** What the preview was made with; empty for the settings as they are. */
  readonly body: RefreshBody;
  readonly onStarted: (operation: string) => void;
  readonly onCancel: () => void;
};

/** What a refresh would change, and the refresh itself. */
function RefreshPart(props: RefreshPartProps) {
  const { catalogue, preview, body, onStarted, onCancel } = props;
  const { added, updated, removed, changes } = preview;
  const attempt = useAttempts();
  const { submit, isBusy, error } = useSubmit(async () => {
    const params = { id: catalogue };
    onStarted(
      await attempt(body, (key) =>
        startOperation("POST /api/catalogues/:id/merge/refresh", { params, body }, key),
      ),
    );
  });
  const isNothing = added + updated + removed === 0;
  return (
    <Panel
      class="stack merge-preview"
      title="What a refresh changes"
      aria-label="What a refresh changes"
    >
      <p class="sum">{isNothing ? "Nothing: every event stays as it is." : toldChanges(preview)}</p>
      <ErrorNotice error={error.value} />
      <div class="row">
        <Button
          class="primary"
          disabled={isBusy.value}
          onClick={submit}
          text={isBusy.value ? "Starting…" : "Refresh"}
        />
        <Button onClick={onCancel} text="Leave it as it is" />
        <span class="muted">
          {isNothing
            ? "A refresh makes no new version, and notes that the sources were looked at."
            : "A refresh makes a new version; the ones before stay."}
        </span>
      </div>
      {changes.length > 0 && (
        <>
          {changes.length < added + updated + removed && (
            <p class="muted">
              The map and the list have the first {count(changes.length)} of{" "}
              {count(added + updated + removed)}.
            </p>
          )}
          <ShownChanges
            changes={changes as readonly Change[]}
            addressOf={({ change, event }) =>
              change === "added" ? null : addressOfEvent(catalogue, event.id)
            }
          />
        </>
      )}
    </Panel>
  );
}

/** How a merge groups and chooses, in words. */
function SettingsFacts({ config }: { readonly config: MergeConfig }) {
  const { timeThreshold, distanceThreshold, linkage, mergeStrategy, priority } = config;
  const { prefer, minMagnitudeStations, windows = [], conversions = [], follow } = config;
  const preferred = Object.entries(prefer ?? {}).map(
    ([part, by = []]) => `${part}: ${typeof by === "string" ? strategyText(by) : by.join(", ")}`,
  );
  const converted = conversions.map((one) =>
    typeof one === "string" ? one : `${one.name}: ${formulaOf(one)}`,
  );
  const strategy = strategyText(mergeStrategy);
  const facts: readonly (readonly [name: string, lines: readonly (string | undefined)[]])[] = [
    ["One earthquake within", [`${timeThreshold} s and ${distanceThreshold} km`]],
    ["Other thresholds", windows.map(windowText)],
    ["Grouping", [LINKAGES.find(({ value }) => value === linkage)?.text]],
    [
      "Solution that is kept",
      [
        mergeStrategy === "priority"
          ? `${strategy}, ${priority || "the first in the list"}`
          : strategy,
      ],
    ],
    ["Apart from that", preferred],
    [
      "Stations of a magnitude",
      minMagnitudeStations === undefined ? [] : [`${minMagnitudeStations} at least`],
    ],
    ["Magnitudes converted", converted],
    ["Kept up by itself", [follow ? "yes" : "no"]],
  ];
  return (
    <Facts
      facts={facts.map(
        ([name, lines]) =>
          lines.length > 0 && [name, lines.map((line, at) => <div key={at}>{line}</div>)],
      )}
    />
  );
}

function strategyText(strategy: Strategy): string {
  return STRATEGIES.find(({ value }) => value === strategy)?.text ?? strategy;
}

type Window = NonNullable<MergeConfig["windows"]>[number];

/** "of A, B, before 1964-01-01, from magnitude 5: 30 s and 100 km". */
function windowText(window: Window): string {
  const { sources, from, to, minMagnitude, timeThreshold, distanceThreshold } = window;
  const conditions = [
    ...(sources ? [`of ${sources.join(", ")}`] : []),
    ...(from ? [`from ${from.slice(0, 10)}`] : []),
    ...(to ? [`before ${to.slice(0, 10)}`] : []),
    ...(minMagnitude === undefined ? [] : [`from magnitude ${decimal(minMagnitude, 1)}`]),
  ];
  const within =
    timeThreshold === null || distanceThreshold === null
      ? "never one with others"
      : `${timeThreshold} s and ${distanceThreshold} km`;
  return `${conditions.join(", ") || "all"}: ${within}`;
}
