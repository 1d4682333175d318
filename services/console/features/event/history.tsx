import { useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { type Catalogue, call, type SeismicEvent, share } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import { addressOfEvent } from "../../model/event-columns.ts";
import { ask } from "../../ui/form/ask.ts";
import { unlessChanged } from "../../ui/form/attempts.ts";
import { optional, text } from "../../ui/form/codecs.ts";
import { area, REASON } from "../../ui/form/form.tsx";
import { Button, Panel } from "../../ui/page.tsx";
import { Actor, NamesOfPeople } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { type ChangedLine, changedLines } from "../../ui/text/attribute-names.ts";
import { count, decimal, magnitudeName } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { causeOf, solutionChanges } from "./history-changes.ts";
import type { Changes } from "./read-event.ts";

type HistoryProps = {
  readonly catalogue: Catalogue;
  readonly eventId: string;
  /** Newest first. */
  readonly history: Changes;
  /** The event's entity tag; empty where it is removed. */
  readonly tag: string;
  /** Reads the event anew; null for those who may not change it. */
  readonly reload: (() => void) | null;
};

/** What each version changed of the event, who made it and why, newest first. */
export function History(props: HistoryProps) {
  const { catalogue, eventId, history } = props;
  const latest = useRef(props);
  latest.current = props;
  return (
    <Panel id="history" class="stack" title="History">
      {has("admin") && <NamesOfPeople />}
      <ol class="history">
        {history.map((one, i) => {
          const { version, change, reason, actor } = one;
          const before = history[i + 1];
          // There is something to be had back: it is in that version, and not now as it was.
          const canRestore = change !== "removed" && version !== history[0]?.version;
          const inBulletin = solutionChanges(one);
          const isNew = change === "added" || before === undefined;
          return (
            <li key={version}>
              <p class="history-head">
                <Link href={addressOfEvent(catalogue.id, eventId, version)}>
                  Version {count(version)}
                </Link>
                <span>{causeOf(one)}</span>
                <span class="muted">
                  {actor !== null && (
                    <>
                      by <Actor id={actor} />,{" "}
                    </>
                  )}
                  <Moment at={one.created_at} />
                </span>
                {props.reload && canRestore && (
                  <button
                    type="button"
                    class="plain link"
                    onClick={() => askToRestore(one, () => latest.current)}
                  >
                    Restore this…<span class="visually-hidden"> version {count(version)}</span>
                  </button>
                )}
              </p>
              {reason && <p class="history-reason">“{reason}”</p>}
              {isNew && change !== "removed" && <p>{stateOf(one.event)}</p>}
              {!isNew && change !== "removed" && (
                <ChangedLines lines={changedLines(before.event, one.event)} />
              )}
              {!isNew && inBulletin !== null && <p>In the bulletin: {inBulletin}</p>}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

/** What an event was added as. */
function stateOf({ region, ...event }: SeismicEvent): string {
  const { magnitude, magnitude_type, magnitude_uncertainty } = event;
  const [name] = magnitudeName(magnitude, magnitude_type, magnitude_uncertainty);
  return region ? `${name}, ${region}` : name;
}

/** Asks, with what it changes, and makes an event as it was in an earlier version. */
function askToRestore({ version, event }: Changes[number], page: () => HistoryProps): void {
  const { catalogue, eventId, history } = page();
  const [latest] = history;
  const lines = latest ? changedLines(latest.event, event) : [];
  const isRemoved = latest?.change === "removed";
  const reload = () => page().reload?.();
  const params = { id: catalogue.id, eventId };
  ask({
    title: `Restore the event as in version ${count(version)}`,
    text: (
      <>
        {isRemoved && <p>The event comes back under its id.</p>}
        {lines.length > 0 && <p>The next version of {catalogue.name} has:</p>}
        <ChangedLines lines={lines} />
        {lines.length === 0 && !isRemoved && (
          <p>No attribute differs; the bulletin becomes as it was.</p>
        )}
      </>
    ),
    fields: { reason: REASON },
    action: "Restore",
    of: () => page().tag,
    run: (options, query) => {
      const { tag } = page();
      const restored = call(
        "POST /api/catalogues/:id/events/:eventId/restore",
        { params, query, body: { version } },
        { ...options, ...(tag !== "" && { ifMatch: tag }) },
      );
      return unlessChanged(restored, reload);
    },
    done: (made) => `The event is as in version ${count(version)}: version ${count(made.version)}`,
    after: reload,
  });
}

/** "Magnitude 2.0 → 2.6", line by line. */
function ChangedLines({ lines }: { readonly lines: readonly ChangedLine[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="changed-lines">
      {lines.map(({ label, from, to }) => (
        <li key={label}>
          {label} <del>{from}</del> → <ins>{to}</ins>
        </li>
      ))}
    </ul>
  );
}

type ProvenanceProps = {
  readonly sources: readonly SourceEvent[];
  /** The merged catalogue, whose merge the reader may steer; null where that is not so. */
  readonly steered: string | null;
};

type SourceEvent = NonNullable<SeismicEvent["source_events"]>[number];
type Named = { readonly catalogue_id: string; readonly event_id: string };

/** The events of other catalogues that a merge took for this one. */
export function Provenance({ sources, steered }: ProvenanceProps) {
  const isSplittable = steered !== null && sources.flatMap(namedOf).length > 1;
  return (
    <Panel id="merged-from" class="stack" title="Merged from">
      <Table
        label="Sources of the event"
        kind="compact folds"
        columns={[
          ["Source", ({ source }) => source ?? "a catalogue that is not yours to see"],
          ["Event", linkTo],
          ["Time difference, s", (one) => decimal(one.time_difference, 2), "number"],
          ["Distance, km", (one) => decimal(one.distance, 1), "number"],
          ["Score", (one) => decimal(one.quality_score, 2), "number"],
          ["Used", ({ chosen }) => (chosen ? "yes" : "no")],
          isSplittable && [
            "Actions",
            (one: SourceEvent) =>
              namedOf(one).length > 0 && (
                <Button
                  class="small"
                  aria-label={`Split off ${one.source_id ?? one.event_id}…`}
                  onClick={() => askToSplit(steered, one, sources)}
                  text="Split off…"
                />
              ),
            "number",
            "hidden",
          ],
        ]}
        rows={sources}
        keyOf={({ event_id }) => event_id ?? ""}
      />
    </Panel>
  );
}

function linkTo({ catalogue_id, event_id, source_id }: SourceEvent) {
  const name = source_id ?? event_id;
  if (share !== null || catalogue_id === null || event_id === null) return name;
  return <Link href={addressOfEvent(catalogue_id, event_id)}>{name}</Link>;
}

/** Of a decision (contracts/merge). */
const NOTE_MAX = 1_000;

/** Decides that a solution is another earthquake than all others of its merged event. */
function askToSplit(id: string, solution: SourceEvent, all: readonly SourceEvent[]): void {
  const others = all.filter((one) => one !== solution).flatMap(namedOf);
  ask({
    title: `Split off the solution of ${solution.source}`,
    text: (
      <p>
        It is decided that this is another earthquake than{" "}
        {others.length === 1 ? "the other solution" : `the ${others.length} other solutions`}. With
        the next refresh of the merge it becomes an event of its own, and later solutions of it join
        it there. The decision stands on the merge’s page, where it can be withdrawn.
      </p>
    ),
    fields: {
      note: area({ label: "Note (optional)", max: NOTE_MAX, rows: 2 }, optional(text)),
    },
    action: "Split it off",
    isReady: () => others.length > 0,
    run: async (options, note) => {
      // Of a decision no two events are alike: the others may well be one earthquake, and so each has its own.
      for (const [i, other] of others.entries()) {
        const events = [...namedOf(solution), other];
        const body = { type: "different" as const, events, ...note };
        await call(
          "POST /api/catalogues/:id/merge/decisions",
          { params: { id }, body },
          i === 0 ? options : { ...options, idempotencyKey: `${options.idempotencyKey}-${i}` },
        );
      }
    },
    done: "Decided. It becomes an event of its own with the next refresh of the merge.",
  });
}

/** Nothing for what is not the reader's to see. */
function namedOf({ catalogue_id, event_id }: SourceEvent): readonly Named[] {
  return catalogue_id === null || event_id === null ? [] : [{ catalogue_id, event_id }];
}
