import { useSignal } from "@preact/signals";
import { call, callWithTag } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { count, counted } from "../../ui/text/format.ts";
import { Conflict } from "./conflict.tsx";
import { changesOf, textsOf } from "./event-changes.ts";
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
