import { type Signal, useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { CallError, call } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import { addressOfEvent } from "../../model/page-route.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import { Actor, NamesOfPeople } from "../../ui/person.tsx";
import { type ChangedLine, changedLines } from "../../ui/text/attribute-names.ts";
import { magnitudeName } from "../../ui/text/digits.ts";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { causeOf, solutionChanges } from "./history-changes.ts";
import type { Catalogue, Changes, SeismicEvent } from "./read-event.ts";

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
  const { catalogue, eventId, history, tag, reload } = props;
  const restoring = useSignal<number | null>(null);
  const latest = history[0];
  const chosen = history.find(({ version }) => version === restoring.value);
  return (
    <section id="history" class="stack">
      <h2>History</h2>
      {has("admin") && <NamesOfPeople />}
      <ol class="history">
        {history.map((change, i) => (
          <Entry
            key={change.version}
            {...props}
            change={change}
            before={history[i + 1] ?? null}
            restoring={canRestore(change, latest) ? restoring : null}
          />
        ))}
      </ol>
      {reload && latest && chosen && (
        <RestoreEvent
          catalogue={catalogue}
          eventId={eventId}
          tag={tag}
          version={chosen.version}
          lines={changedLines(latest.event, chosen.event)}
          isRemoved={latest.change === "removed"}
          onDone={reload}
          onClose={() => (restoring.value = null)}
        />
      )}
    </section>
  );
}

/** Whether there is something to be had back: the event is in that version, and not now as it was. */
function canRestore(change: Changes[number], latest: Changes[number] | undefined): boolean {
  return change.change !== "removed" && change.version !== latest?.version;
}

type EntryProps = HistoryProps & {
  readonly change: Changes[number];
  readonly before: Changes[number] | null;
  /** Gets the version when it shall be restored; null where it is as the event is now. */
  readonly restoring: Signal<number | null> | null;
};

function Entry({ catalogue, eventId, change: one, before, restoring, reload }: EntryProps) {
  const { version, created_at, actor, reason, change } = one;
  const isNew = change === "added" || before === null;
  const lines = isNew || change === "removed" ? [] : changedLines(before.event, one.event);
  return (
    <li>
      <p class="history-head">
        <Link href={addressOfEvent(catalogue.id, eventId, version)}>Version {count(version)}</Link>
        <span>{causeOf(one)}</span>
        <span class="muted">
          {actor !== null && (
            <>
              by <Actor id={actor} />,{" "}
            </>
          )}
          <Moment at={created_at} />
        </span>
        {restoring && reload && (
          <button type="button" class="plain link" onClick={() => (restoring.value = version)}>
            Restore this…<span class="visually-hidden"> version {count(version)}</span>
          </button>
        )}
      </p>
      {reason && <p class="history-reason">“{reason}”</p>}
      {isNew && change !== "removed" && <p>{stateOf(one.event)}</p>}
      <ChangedLines lines={lines} />
      {!isNew && <BulletinLine change={one} />}
    </li>
  );
}

/** What an event was added as. */
function stateOf({ region, ...event }: SeismicEvent): string {
  const { magnitude, magnitude_type, magnitude_uncertainty } = event;
  const [name] = magnitudeName(magnitude, magnitude_type, magnitude_uncertainty);
  return region ? `${name}, ${region}` : name;
}

/** What a version changed beside the row; nothing where it did not. */
function BulletinLine({ change }: { readonly change: Changes[number] }) {
  const text = solutionChanges(change);
  return text === null ? null : <p>In the bulletin: {text}</p>;
}

type RestoreEventProps = {
  readonly catalogue: Catalogue;
  readonly eventId: string;
  /** The event's entity tag; empty where it is removed. */
  readonly tag: string;
  readonly version: number;
  /** What restoring it changes. */
  readonly lines: readonly ChangedLine[];
  readonly isRemoved: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Asks, with what it changes, and makes an event as it was in an earlier version. */
function RestoreEvent(props: RestoreEventProps) {
  const { catalogue, eventId, tag, version, lines, isRemoved, onDone, onClose } = props;
  const reason = useSignal("");
  const restore = async (idempotencyKey: string) => {
    try {
      const made = await call(
        "POST /api/catalogues/:id/events/:eventId/restore",
        { params: { id: catalogue.id, eventId }, query: withReason(reason), body: { version } },
        { idempotencyKey, ...(tag !== "" && { ifMatch: tag }) },
      );
      notice.done(`The event is as in version ${count(version)}: version ${count(made.version)}`);
    } catch (error) {
      // What others have made of it meanwhile is shown first.
      if (error instanceof CallError && error.status === 412) onDone();
      throw error;
    }
    onDone();
  };
  return (
    <ConfirmDialog
      title={`Restore the event as in version ${count(version)}`}
      action="Restore"
      of={{ tag, reason: reason.value }}
      run={restore}
      onClose={onClose}
    >
      {isRemoved && <p>The event comes back under its id.</p>}
      {lines.length > 0 && <p>The next version of {catalogue.name} has:</p>}
      <ChangedLines lines={lines} />
      {lines.length === 0 && !isRemoved && (
        <p>No attribute differs; the bulletin becomes as it was.</p>
      )}
      <ReasonField reason={reason} />
    </ConfirmDialog>
  );
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
