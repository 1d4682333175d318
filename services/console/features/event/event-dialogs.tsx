import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call, callWithTag, type SeismicEvent, statusOf } from "../../api/call.ts";
import { ErrorNotice, notice } from "../../ui/call.tsx";
import { ask } from "../../ui/form/ask.ts";
import { unlessChanged } from "../../ui/form/attempts.ts";
import { REASON, useForm } from "../../ui/form/form.tsx";
import { SubmitRow } from "../../ui/form/submit.tsx";
import { Button } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import {
  type EventValues,
  FIELD_NAMES,
  labelOf,
  shownValue,
} from "../../ui/text/attribute-names.ts";
import { count, counted, magnitudeName, time } from "../../ui/text/format.ts";
import { changesOf, EventFields, type EventTexts, textsOf } from "./event-fields.tsx";
import type { EventReading } from "./read-event.ts";

type EventButtonsProps = Pick<EventReading, "catalogue" | "tag"> & {
  readonly event: SeismicEvent;
  readonly isEditing: Signal<boolean>;
  readonly reload: () => void;
};

/** What editors do with an event; it is removed after another's version only once that has been read. */
export function EventButtons({ catalogue, event, tag, isEditing, reload }: EventButtonsProps) {
  const [, navigate] = useLocation();
  const latest = useRef(tag);
  latest.current = tag;
  const params = { id: catalogue.id, eventId: event.id };
  const remove = () =>
    ask({
      title: "Delete the event",
      text: (
        <p>
          The next version of {catalogue.name} is without {nameOf(event)}. Earlier versions keep it.
        </p>
      ),
      fields: { reason: REASON },
      action: "Delete",
      isDanger: true,
      of: () => latest.current,
      run: (options, query) =>
        unlessChanged(
          call(
            "DELETE /api/catalogues/:id/events/:eventId",
            { params, query },
            { ...options, ifMatch: latest.current },
          ),
          reload,
        ),
      done: ({ version }) => `The event is removed: version ${count(version)}`,
      after: () => navigate(`/catalogues/${catalogue.id}`),
    });
  return (
    <>
      <Button onClick={() => (isEditing.value = true)} text="Edit…" />
      <Button class="danger" onClick={remove} text="Delete…" />
    </>
  );
}

/** "the event nz2016 (Mw 7.8, 2016-11-13 11:02:56 UTC)". */
function nameOf({ source_id, magnitude, magnitude_type, time: at }: SeismicEvent): string {
  const [size] = magnitudeName(magnitude, magnitude_type);
  return `the event${source_id ? ` ${source_id}` : ""} (${size}, ${time(at).slice(0, 19)} UTC)`;
}

type EditEventProps = Omit<EventButtonsProps, "isEditing" | "reload"> & {
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Changes attributes of an event, unless somebody else has changed the catalogue meanwhile. */
export function EditEvent({ catalogue, event, tag, onDone, onClose }: EditEventProps) {
  const typed = useSignal(textsOf(event));
  const base = useSignal({ event, tag });
  const theirs = useSignal<{ event: SeismicEvent; tag: string; version: number } | null>(null);
  const params = { id: catalogue.id, eventId: event.id };
  const changes = changesOf(base.value.event, typed.value);
  const changed = Object.keys(changes).length;
  const { submit, isBusy, error, problemOf, field } = useForm({
    fields: { reason: REASON },
    of: () => [changes, base.value.tag],
    run: async (options, query) => {
      if (changed === 0) return onClose();
      try {
        const { version } = await call(
          "PATCH /api/catalogues/:id/events/:eventId",
          { params, query, body: changes },
          { ...options, ifMatch: base.value.tag },
        );
        notice.done(`Saved: version ${count(version)}`);
        onDone();
      } catch (failure) {
        if (statusOf(failure) !== 412) throw failure;
        const [{ version }, { answer, tag }] = await Promise.all([
          call("GET /api/catalogues/:id", { params: { id: catalogue.id } }),
          callWithTag("GET /api/catalogues/:id/events/:eventId", { params }),
        ]);
        theirs.value = { event: answer.event, tag, version };
      }
    },
  });
  return (
    <form class="panel edit-form" aria-label="Edit the event" onSubmit={submit}>
      <EventFields
        texts={typed.value}
        onText={(name, text) => {
          typed.value = { ...typed.value, [name]: text };
        }}
        problemOf={problemOf}
      />
      {field("reason")}
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
        onCancel={onClose}
      />
    </form>
  );
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
          columns={[
            ["Attribute", (name) => labelOf(name), "", "row"],
            ["Before", (name) => shownValue(name, was[name])],
            ["Now, by others", (name) => shownValue(name, now[name])],
            ["Yours", (name) => (name in own ? shownValue(name, mine[name]) : "unchanged")],
          ]}
          rows={differing}
        />
        <div class="row">
          <Button onClick={() => onKeep(withMine)} text="Keep my changes" />
          <Button onClick={() => onKeep(now)} text="Take theirs" />
        </div>
      </div>
    </section>
  );
}
