import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import type { z } from "zod";
import type { ElementTallies } from "#contracts/bulletin/counts.ts";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { Accepted } from "#contracts/http/jobs.ts";
import type { MergeCounts, MergeResult } from "#contracts/http/merges.ts";
import { ELEMENT_KINDS, type ElementKind } from "#contracts/seismic-event/bulletin-objects.ts";
import {
  type AnswerOf,
  addressOf,
  type CallOptions,
  call,
  type InputOf,
  type OperationName,
  send,
  whole,
} from "../api/call.ts";
import { newerState } from "../api/follow-stream.ts";
import { checkMessage, checkName, isOfAgency, isWorking, readReport } from "../api/readiness.ts";
import { ErrorNotice, useAnswer, useCall, useWrite, Waiting } from "../ui/call.tsx";
import { Button, ButtonLink, Empty, Facts, isGone, Panel } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";
import { count, counted, elapsed, UNKNOWN } from "../ui/text/format.ts";
import { useFollowed, useRepeated } from "../ui/timers.ts";

export type Operation = AnswerOf<"GET /api/operations/:id">["operation"];

/** Between two questions while there is no stream. */
const POLL_MS = 3_000;

/** Follows an operation until it has ended: by its stream or, while there is none, by asking. Null before the first answer. */
export function useOperation(id: string) {
  const params = { id };
  const { last, error, reload } = useAnswer("GET /api/operations/:id", { params });
  const streamed = useSignal<Operation | null>(null);
  const ofThis = (one: Operation | null | undefined) => (one?.id === id ? one : null);
  const operation = newerState(ofThis(streamed.value), ofThis(last?.operation));
  const isRunning = operation?.status === "running";
  const stream = isRunning ? addressOf("GET /api/operations/:id/stream", { params }) : null;
  const onMessage = ({ data }: MessageEvent<string>) => {
    streamed.value = (JSON.parse(data) as { operation: Operation }).operation;
  };
  useFollowed(stream, { type: "operation", onMessage }, POLL_MS, reload);
  return { operation, error, reload };
}

/**
 * Starts what can outlast its request.
 * @param attempt its key, or options with it
 * @returns the operation's id
 * @throws CallError
 */
export async function startOperation<K extends OperationName>(
  operation: K,
  input: InputOf<K>,
  attempt: string | CallOptions,
): Promise<string> {
  const response = await send(operation, input as Parameters<typeof send>[1], {
    inBackground: true,
    ...(typeof attempt === "string" ? { idempotencyKey: attempt } : attempt),
  });
  const { operationId }: z.output<typeof Accepted> = await whole(() => response.json());
  return operationId;
}

type OperationViewProps = {
  readonly id: string;
  /** What is shown of it below its progress; by default what came of it. */
  readonly outcome?: (operation: Operation) => ComponentChildren;
  /** Told once that it has ended. */
  readonly onEnded?: (operation: Operation) => void;
};

/** An operation as it goes on, and what came of it. */
export function OperationView({ id, outcome, onEnded }: OperationViewProps) {
  const { operation, error, reload } = useOperation(id);
  const hasEnded = operation !== null && operation.status !== "running";
  useEffect(() => {
    if (hasEnded) onEnded?.(operation);
  }, [hasEnded]);
  if (operation === null) {
    if (error === null) return <Waiting />;
    if (!isGone(error)) return <ErrorNotice error={error} retry={reload} />;
    return (
      <Empty
        title="There is no such operation."
        text="What has ended is kept for seven days, and is seen by whoever began it and by administrators."
      />
    );
  }
  const { kind, status, progress } = operation;
  return (
    <>
      <section class="panel" aria-label="Progress">
        <div class="row" role="status">
          <h2>{KINDS[kind]}</h2>
          <span class={STATUS_BADGES[status]}>{status}</span>
        </div>
        <ProgressBar status={status} progress={progress} />
        <div class="row">
          <span>{progressText(progress)}</span>
          {hasEnded ? (
            <span class="muted">took {elapsedOf(operation, Date.now())}</span>
          ) : (
            <>
              <Elapsed operation={operation} />
              <Cancel id={id} reload={reload} />
            </>
          )}
        </div>
      </section>
      {outcome ? outcome(operation) : <Outcome operation={operation} />}
    </>
  );
}

/** Ticks while it is shown. */
function Elapsed({ operation }: { readonly operation: Operation }) {
  const now = useSignal(Date.now());
  useRepeated(1_000, () => {
    now.value = Date.now();
  });
  return <span class="muted">{elapsedOf(operation, now.value)} elapsed</span>;
}

function Cancel({ id, reload }: { readonly id: string; readonly reload: () => void }) {
  const { isBusy, write } = useWrite();
  const cancel = () =>
    write({
      send: (options) => call("DELETE /api/operations/:id", { params: { id } }, options),
      done: "Cancelled",
      reload,
    });
  return (
    <Button
      disabled={isBusy.value}
      onClick={cancel}
      text={isBusy.value ? "Cancelling…" : "Cancel"}
    />
  );
}

export const KINDS: Readonly<Record<Operation["kind"], string>> = {
  create: "New catalogue",
  add: "Adding of events",
  import: "Import",
  merge: "Merge",
  refresh: "Refresh of a merge",
  preview: "Preview of a refresh",
  evaluate: "Evaluation of a merge",
  convert: "Conversion of magnitudes",
  decluster: "Declustering",
  compare: "Comparison",
  analysis: "Analysis",
};

export const STATUS_BADGES: Readonly<Record<Operation["status"], string>> = {
  running: "badge warning",
  succeeded: "badge good",
  failed: "badge bad",
  cancelled: "badge",
};

/** "Window 12 of 40, 3,120 events", or how many there are of how many. */
export function progressText({ done, total, unit, events }: Operation["progress"]): string {
  const all = total === 0 ? "" : ` of ${count(total)}`;
  if (events === undefined) return `${count(done)}${all} ${unit}`;
  return `${count(done)}${all} ${unit}, ${count(events)} events`;
}

/** How long it has taken, until now while it runs. */
export function elapsedOf(operation: Operation, now: number): string {
  const { status, created_at, updated_at } = operation;
  const end = status === "running" ? now : Date.parse(updated_at);
  return elapsed(end - Date.parse(created_at));
}

/** How far it is, in a bar that moves where that is not known; of what has ended all of it, or as far as it came. */
export function ProgressBar({ status, progress }: Pick<Operation, "status" | "progress">) {
  const { done, total } = progress;
  const max = Math.max(total, 1);
  const part =
    status === "running"
      ? total > 0 && { max, value: done }
      : { max, value: status === "succeeded" ? max : done };
  return <progress aria-label="Done" {...part} />;
}

/** What came of an operation; nothing while it runs. Its result is the answer of the request that started it. */
export function Outcome({ operation }: { readonly operation: Operation }) {
  const { id, kind, status, error, result = {} } = operation;
  if (status === "running") return null;
  if (status === "cancelled") {
    // The history of a catalogue has every import into it, also into one that was made for it.
    const kept =
      kind === "import"
        ? "None of its events is kept; the imports of the catalogue tell of it."
        : "Nothing of it is kept.";
    return <p>This was cancelled. {kept}</p>;
  }
  if (status === "failed") {
    if (kind === "import") return <ImportFailed error={error} />;
    return (
      <div class="notice error" role="alert">
        <span>{error?.error ?? "This failed."}</span>
      </div>
    );
  }
  if (kind === "import") return <ImportOutcome result={result as ImportResult} />;
  if (kind === "merge") return <Merged result={result as MergeResult} />;
  return (
    <p class="row">
      {linksTo(result).map(({ href, text }) => (
        <ButtonLink key={href} href={href} text={text} />
      ))}
      <a href={`/api/operations/${id}`}>The answer as JSON</a>
    </p>
  );
}

/** What a result is about: a new catalogue, the analysed one, or the two that were compared. */
function linksTo({ id: made, ...result }: NonNullable<Operation["result"]>) {
  const { catalogueId, catalogue, a, b } = result;
  const links = [
    { id: made, part: "", text: "Open the catalogue" },
    { id: catalogueId, part: "", text: "Open the catalogue" },
    { id: catalogue, part: "/analytics", text: "Analyses of the catalogue" },
    { id: comparedIn(a), part: "", text: "The first catalogue" },
    { id: comparedIn(b), part: "", text: "The second catalogue" },
  ];
  return links.flatMap(({ id, part, text }) =>
    typeof id === "string" ? [{ href: `/catalogues/${id}${part}`, text }] : [],
  );
}

function comparedIn(side: unknown): unknown {
  return typeof side === "object" && side !== null && "catalogue" in side ? side.catalogue : null;
}

function Merged({ result }: { readonly result: MergeResult }) {
  return (
    <Panel aria-label="Result" title="Merged">
      <MergeCountsLine counts={result} />
      <div class="row">
        <ButtonLink
          class="primary"
          href={`/catalogues/${result.catalogueId}`}
          text="Open the catalogue"
        />
      </div>
    </Panel>
  );
}

type Code = NonNullable<Operation["error"]>["code"];

const ADVICE: { readonly [C in NonNullable<Code>]?: string } = {
  AGENCY_UNAVAILABLE: "The agency is down or overloaded. Try again later.",
  AGENCY_TIMEOUT: "The agency did not answer in time. Try again later, or choose a shorter time.",
  AGENCY_ERROR: "The agency refused the request. Other bounds or a shorter time may help.",
  CIRCUIT_OPEN:
    "After several failures the service does not ask the agency for a minute. Try again after that.",
};

/** Why an import failed, and whether agencies are asked at the moment: those in trouble, or else the first. */
function ImportFailed({ error }: { readonly error: Operation["error"] }) {
  const { answer } = useCall("breaker", readReport);
  const checks = answer?.checks.filter(({ name }) => isOfAgency(name)) ?? [];
  const troubled = checks.filter((check) => !isWorking(check));
  const told = troubled.length > 0 ? troubled : checks.filter(({ name }) => name === "agency_api");
  const advice = error?.code && ADVICE[error.code];
  const catalogue = catalogueOf(error);
  return (
    <>
      <div class="notice error" role="alert">
        <span>{error?.error ?? "The import failed."}</span>
      </div>
      <p>{advice} Nothing was imported. Running it again makes no duplicates.</p>
      <p class="row">
        {told.map(({ name, message = "" }) => (
          <span key={name} class="muted">
            {checkName(name)}: {checkMessage(name, message)}
          </span>
        ))}
        <Link href="/status">The service’s status</Link>
        {catalogue !== null && (
          <Link href={`/catalogues/${catalogue}/imports`}>Imports of this catalogue</Link>
        )}
      </p>
    </>
  );
}

/** The catalogue of a failed run stands beside the code. */
function catalogueOf(error: object | undefined): string | null {
  if (!error || !("catalogueId" in error)) return null;
  return typeof error.catalogueId === "string" ? error.catalogueId : null;
}

const REASONS: Readonly<Record<keyof ImportResult["skippedReasons"], string>> = {
  existing: "already there, and updating was not asked for",
  unchanged: "already there, unchanged",
  excluded: "no earthquakes: their type is “not existing” or “duplicate”",
  rejected: "rejected by the agency",
};

/** What an import brought: every fetched event is in one of the counts. */
function ImportOutcome({ result }: { readonly result: ImportResult }) {
  const { catalogueId, catalogueName, version, skippedReasons, errors } = result;
  const reasons = Object.keys(REASONS) as (keyof typeof REASONS)[];
  const skipped = reasons.filter((reason) => skippedReasons[reason] > 0);
  return (
    <Panel aria-label="Result" title={catalogueName}>
      <p class="sum">
        <strong>{count(result.totalFetched)}</strong> fetched ={" "}
        <strong>{count(result.newEvents)}</strong> new +{" "}
        <strong>{count(result.updatedEvents)}</strong> updated +{" "}
        <strong>{count(result.skippedEvents)}</strong> skipped +{" "}
        <strong>{count(errors.length)}</strong> errors
      </p>
      {result.skippedEvents > 0 && (
        <Facts
          facts={skipped.map((one) => [`${count(skippedReasons[one])} skipped`, REASONS[one]])}
        />
      )}
      {result.elements && <ElementTalliesTable elements={result.elements} />}
      <ImportErrors errors={errors} />
      <div class="row">
        {version > 0 && <OpenVersion catalogueId={catalogueId} version={version} />}
        <Link href={`/catalogues/${catalogueId}/imports`}>Imports of this catalogue</Link>
      </div>
    </Panel>
  );
}

/** At its version only where a later one is there: the latest can be edited. */
function OpenVersion({ catalogueId: id, version }: Pick<ImportResult, "catalogueId" | "version">) {
  const { answer, error } = useAnswer("GET /api/catalogues/:id", { params: { id } });
  if (isGone(error)) return <span class="muted">The catalogue has been deleted.</span>;
  const isOld = answer !== null && answer.version > version;
  return (
    <Link class="button primary" href={`/catalogues/${id}${isOld ? `?asOf=${version}` : ""}`}>
      Open version {count(version)}
    </Link>
  );
}

const SHOWN = 100;

/** Events that could not be taken, and where in the agency's answer they stand. */
function ImportErrors({ errors }: { readonly errors: ImportResult["errors"] }) {
  if (errors.length === 0) return null;
  return (
    <>
      <Table
        label="Errors"
        rows={errors.slice(0, SHOWN)}
        columns={[
          ["Event", (error) => error.source_id ?? UNKNOWN, "nowrap"],
          ["Error", ({ message }) => message, "words"],
          ["Where", ({ where }) => where ?? UNKNOWN],
        ]}
      />
      {errors.length > SHOWN && (
        <p class="muted">
          The first {SHOWN} of {count(errors.length)}.
        </p>
      )}
    </>
  );
}

const NAMES: Readonly<Record<ElementKind, string>> = {
  event: "Events",
  origin: "Origins",
  magnitude: "Magnitudes",
  stationMagnitude: "Station magnitudes",
  amplitude: "Amplitudes",
  pick: "Picks",
  arrival: "Arrivals",
  focalMechanism: "Focal mechanisms",
  comment: "Comments",
};

/** How many elements of each kind a file or an agency's answer had, and how many were kept. */
export function ElementTalliesTable({ elements }: { readonly elements: ElementTallies }) {
  const known = ELEMENT_KINDS.flatMap((kind) => {
    const tally = elements[kind];
    return tally ? { kind, ...tally } : [];
  });
  if (known.length === 0) return null;
  return (
    <Table
      label="Elements of bulletins"
      kind="compact tallies"
      rows={known}
      columns={[
        ["Elements", ({ kind }) => NAMES[kind], "", "row"],
        ["Read", ({ read }) => count(read), "number"],
        ["Kept", ({ kept }) => count(kept), "number"],
        [
          "Dropped",
          ({ dropped }) =>
            dropped > 0 ? <span class="badge warning">{count(dropped)}</span> : count(dropped),
          "number",
        ],
      ]}
    />
  );
}

/** "28,378 events become 17,418: 10,960 duplicates in 9,800 groups". */
export function MergeCountsLine({ counts }: { readonly counts: MergeCounts }) {
  const { originalEventCount, eventCount, duplicateGroups, duplicatesRemoved } = counts;
  return (
    <p class="sum">
      <strong>{counted(originalEventCount, "event")}</strong> become{" "}
      <strong>{count(eventCount)}</strong>: {counted(duplicatesRemoved, "duplicate")} in{" "}
      {counted(duplicateGroups, "group")}
    </p>
  );
}
