import { useSignal } from "@preact/signals";
import { call, callWithTag } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { type FieldName, GROUPS } from "../../ui/text/attribute-names.ts";

import { count } from "../../ui/text/format.ts";
import { AttributeInput } from "./attribute-input.tsx";
import { Conflict } from "./conflict.tsx";
import { changesOf, textsOf } from "./event-changes.ts";
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
  const { typed, base, theirs, submit, isBusy, error, problemOf } = useEdit(props);
  const set = (name: FieldName, value: string) => {
    typed.value = { ...typed.value, [name]: value };
  };
  return (
    <form class="panel" aria-label="Edit the event" onSubmit={submit}>
      {GROUPS.map(({ title, names }) => (
        <fieldset key={title} class="edit-group">
          <legend>{title}</legend>
          {names.map((name) => (
            <AttributeInput
              key={name}
              name={name}
              value={typed.value[name] ?? ""}
              onValue={(value) => set(name, value)}
              problem={problemOf(name)}
            />
          ))}
        </fieldset>
      ))}
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
      <SubmitRow text="Save" isDisabled={isBusy.value || theirs.value !== null}>
        <button type="button" onClick={props.onClose}>
          Cancel
        </button>
      </SubmitRow>
    </form>
  );
}

function useEdit({ catalogue, event, tag, onDone, onClose }: EditEventProps) {
  const typed = useSignal(textsOf(event));
  const base = useSignal({ event, tag });
  const theirs = useSignal<{ event: SeismicEvent; tag: string; version: number } | null>(null);
  const params = { id: catalogue.id, eventId: event.id };
  const attempt = useAttempts();
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const changes = changesOf(base.value.event, typed.value);
    if (Object.keys(changes).length === 0) return onClose();
    try {
      const ifMatch = base.value.tag;
      const { version } = await attempt({ changes, ifMatch }, (idempotencyKey) =>
        call(
          "PATCH /api/catalogues/:id/events/:eventId",
          { params, body: changes },
          { ifMatch, idempotencyKey },
        ),
      );
      notice.done(`Saved: version ${count(version)}`);
      onDone();
    } catch (reason) {
      if (!(reason instanceof CallError && reason.status === 412)) throw reason;
      const [{ version }, { answer, tag }] = await Promise.all([
        call("GET /api/catalogues/:id", { params: { id: catalogue.id } }),
        callWithTag("GET /api/catalogues/:id/events/:eventId", { params }),
      ]);
      theirs.value = { event: answer.event, tag, version };
    }
  });
  return { typed, base, theirs, submit, isBusy, error, problemOf };
}
