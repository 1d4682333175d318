import { type Signal, useSignal } from "@preact/signals";
import { useLocation } from "wouter-preact";
import { CallError, call, callWithTag } from "../../api/call.ts";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { Table } from "../../ui/table.tsx";
import {
  type EventValues,
  FIELD_NAMES,
  labelOf,
  shownValue,
} from "../../ui/text/attribute-names.ts";
import { magnitudeName } from "../../ui/text/digits.ts";
import { count, counted, time } from "../../ui/text/format.ts";
import { changesOf, EventFields, type EventTexts, textsOf } from "./event-fields.tsx";
import type { Catalogue, EventReading, SeismicEvent } from "./read-event.ts";

export type EventDialog = "edit" | "delete";
type OpenDialog = { readonly dialog: Signal<EventDialog | null> };

/** What editors do with an event. */
export function EditButtons({ dialog }: OpenDialog) {
  return (
    <>
      <button type="button" onClick={() => (dialog.value = "edit")}>
        Edit…
      </button>
      <button type="button" class="danger" onClick={() => (dialog.value = "delete")}>
        Delete…
      </button>
    </>
  );
}

type EventDialogsProps = OpenDialog &
  Pick<EventReading, "catalogue" | "tag"> & {
    readonly event: NonNullable<EventReading["event"]>;
    readonly reload: () => void;
  };

/** The window that was opened by one of the buttons. */
export function EventDialogs({ catalogue, event, tag, dialog, reload }: EventDialogsProps) {
  const [, navigate] = useLocation();
  const close = () => {
    dialog.value = null;
  };
  const shared = { catalogue, event, tag, onClose: close };
  switch (dialog.value) {
    case null:
      return null;
    case "edit":
      return (
        <EditEvent
          {...shared}
          onDone={() => {
            close();
            reload();
          }}
        />
      );
    case "delete":
      return (
        <DeleteEvent
          {...shared}
          onDone={() => navigate(`/catalogues/${catalogue.id}`)}
          onConflict={reload}
        />
      );
  }
}

type DeleteEventProps = {
  readonly catalogue: Catalogue;
  readonly event: SeismicEvent;
  /** The event's entity tag. */
  readonly tag: string;
  readonly onDone: () => void;
  /** Somebody else has made a version meanwhile. */
  readonly onConflict: () => void;
  readonly onClose: () => void;
};

/** Asks, and removes the event; after another's version only once that has been read. */
function DeleteEvent(props: DeleteEventProps) {
  const { catalogue, event, tag, onDone, onConflict, onClose } = props;
  const reason = useSignal("");
  const remove = async (idempotencyKey: string) => {
    const params = { id: catalogue.id, eventId: event.id };
    try {
      const { version } = await call(
        "DELETE /api/catalogues/:id/events/:eventId",
        { params, query: withReason(reason) },
        { ifMatch: tag, idempotencyKey },
      );
      notice.done(`The event is removed: version ${count(version)}`);
    } catch (error) {
      if (error instanceof CallError && error.status === 412) onConflict();
      throw error;
    }
    onDone();
  };
  return (
    <ConfirmDialog
      title="Delete the event"
      action="Delete"
      isDanger
      of={{ tag, reason: reason.value }}
      run={remove}
      onClose={onClose}
    >
      <p>
        The next version of {catalogue.name} is without {nameOf(event)}. Earlier versions keep it.
      </p>
      <ReasonField reason={reason} />
    </ConfirmDialog>
  );
}

/** "the event nz2016 (Mw 7.8, 2016-11-13 11:02:56 UTC)". */
function nameOf({ source_id, magnitude, magnitude_type, time: at }: SeismicEvent): string {
  const [size] = magnitudeName(magnitude, magnitude_type);
  return `the event${source_id ? ` ${source_id}` : ""} (${size}, ${time(at).slice(0, 19)} UTC)`;
}

type EditEventProps = {
  readonly catalogue: Catalogue;
  readonly event: SeismicEvent;
  /** The event's entity tag. */
  readonly tag: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Changes attributes of an event, unless somebody else has changed the catalogue meanwhile. */
function EditEvent(props: EditEventProps) {
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
