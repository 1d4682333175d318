import { useSignal } from "@preact/signals";
import { call, callWithTag } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { Table } from "../../ui/table.tsx";
import {
  type EventValues,
  FIELD_NAMES,
  labelOf,
  shownValue,
} from "../../ui/text/attribute-names.ts";
import { count, counted } from "../../ui/text/format.ts";
import { changesOf, type EventTexts, textsOf } from "./event-changes.ts";
import { EventFields } from "./event-fields.tsx";
import type { Catalogue, SeismicEvent } from "./read-event.ts";

type EditEventProps = {
  readonly catalogue: Catalogue;
  readonly event: SeismicEvent;
  /** The event's entity tag. */
  readonly tag: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Changes attributes of an event, unless somebody else has changed the catalogue meanwhile. */
export function EditEvent(props: EditEventProps) {
  const { typed, reason, base, theirs, submit, isBusy, error, problemOf } = useEdit(props);
  const changed = Object.keys(changesOf(base.value.event, typed.value)).length;
  return (
    <form class="panel edit-form" aria-label="Edit the event" onSubmit={submit}>
      <EventFields
        texts={typed.value}
        onText={(name, text) => {
          typed.value = { ...typed.value, [name]: text };
        }}
        problemOf={problemOf}
      />
      <ReasonField reason={reason} problem={problemOf("reason")} />
      <ErrorNotice error={error.value} />
      {theirs.value && (
        <Conflict
          before={base.value.event}
          mine={typed.value}
          theirs={theirs.value}
          onKeep={(texts) => {
            if (theirs.value) base.value = theirs.value;
            theirs.value = null;
            typed.value = texts;
          }}
        />
      )}
      <SubmitRow
        text={changed === 0 ? "Save" : `Save ${counted(changed, "change")}`}
        isDisabled={isBusy.value || theirs.value !== null}
        onCancel={props.onClose}
      />
    </form>
  );
}

function useEdit({ catalogue, event, tag, onDone, onClose }: EditEventProps) {
  const typed = useSignal(textsOf(event));
  const reason = useSignal("");
  const base = useSignal({ event, tag });
  const theirs = useSignal<{ event: SeismicEvent; tag: string; version: number } | null>(null);
  const params = { id: catalogue.id, eventId: event.id };
  const attempt = useAttempts();
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const changes = changesOf(base.value.event, typed.value);
    if (Object.keys(changes).length === 0) return onClose();
    try {
      const ifMatch = base.value.tag;
      const query = withReason(reason);
      const { version } = await attempt({ changes, query, ifMatch }, (idempotencyKey) =>
        call(
          "PATCH /api/catalogues/:id/events/:eventId",
          { params, query, body: changes },
          { ifMatch, idempotencyKey },
        ),
      );
      notice.done(`Saved: version ${count(version)}`);
      onDone();
    } catch (failure) {
      if (!(failure instanceof CallError && failure.status === 412)) throw failure;
      const [{ version }, { answer, tag }] = await Promise.all([
        call("GET /api/catalogues/:id", { params: { id: catalogue.id } }),
        callWithTag("GET /api/catalogues/:id/events/:eventId", { params }),
      ]);
      theirs.value = { event: answer.event, tag, version };
    }
  });
  return { typed, reason, base, theirs, submit, isBusy, error, problemOf };
}

type ConflictProps = {
  /** The event as it was when the editing began. */
  readonly before: EventValues;
  readonly mine: EventTexts;
  readonly theirs: { readonly event: EventValues; readonly version: number };
  /** Goes on from their version, with these texts. */
  readonly onKeep: (texts: EventTexts) => void;
};

/** What somebody else has changed meanwhile, beside what was typed here. */
function Conflict({ before, mine, theirs, onKeep }: ConflictProps) {
  const now = textsOf(theirs.event);
  const was = textsOf(before);
  const own = changesOf(before, mine);
  const differing = FIELD_NAMES.filter((name) => now[name] !== was[name] || name in own);
  // Untouched fields take what is there now.
  const withMine = Object.fromEntries(
    FIELD_NAMES.map((name) => [name, name in own ? (mine[name] ?? "") : (now[name] ?? "")]),
  );
  return (
    <section class="notice warning conflict" role="alert">
      <div class="stack">
        <p>
          Version {count(theirs.version)} has come while you were editing. Nothing is saved yet;
          compare, and choose what to go on with.
        </p>
        <Table
          label="Both changes"
          kind="compact"
          columns={["Attribute", "Before", "Now, by others", "Yours"]}
        >
          {differing.map((name) => (
            <tr key={name}>
              <th scope="row">{labelOf(name)}</th>
              <td>{shownValue(name, was[name])}</td>
              <td>{shownValue(name, now[name])}</td>
              <td>{name in own ? shownValue(name, mine[name]) : "unchanged"}</td>
            </tr>
          ))}
        </Table>
        <div class="row">
          <button type="button" onClick={() => onKeep(withMine)}>
            Keep my changes
          </button>
          <button type="button" onClick={() => onKeep(now)}>
            Take theirs
          </button>
        </div>
      </div>
    </section>
  );
}
