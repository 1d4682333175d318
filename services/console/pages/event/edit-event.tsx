import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { notice } from "../../ui/notices.tsx";
import { Select } from "../../ui/select.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { attributeOf, type FieldName, GROUPS, labelOf, unitOf } from "./attribute-names.ts";
import { Conflict } from "./conflict.tsx";
import { changesOf, textsOf } from "./edited.ts";
import type { Catalogue, SeismicEvent } from "./page.tsx";

type EditEventProps = {
  readonly catalogue: Catalogue;
  readonly event: SeismicEvent;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Changes attributes of an event, unless somebody else has changed the catalogue meanwhile. */
export function EditEvent({ catalogue, event, onDone, onClose }: EditEventProps) {
  const typed = useSignal(textsOf(event));
  const base = useSignal({ event, version: catalogue.version });
  const theirs = useSignal<{ event: SeismicEvent; version: number } | null>(null);
  const params = { id: catalogue.id, eventId: event.id };
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const changes = changesOf(base.value.event, typed.value);
    if (Object.keys(changes).length === 0) return onClose();
    try {
      const { version } = await call(
        "PATCH /api/catalogues/:id/events/:eventId",
        { params, body: changes },
        { ifMatch: base.value.version, idempotencyKey: crypto.randomUUID() },
      );
      notice.done(`Saved: version ${version}`);
      onDone();
    } catch (reason) {
      if (!(reason instanceof CallError && reason.status === 412)) throw reason;
      const [{ version }, now] = await Promise.all([
        call("GET /api/catalogues/:id", { params: { id: catalogue.id } }),
        call("GET /api/catalogues/:id/events/:eventId", { params }),
      ]);
      theirs.value = { event: now.event, version };
    }
  });
  const set = (name: FieldName, value: string) => {
    typed.value = { ...typed.value, [name]: value };
  };
  return (
    <form class="panel" aria-label="Edit the event" onSubmit={submit}>
      {GROUPS.map(({ title, names }) => (
        <fieldset key={title} class="edit-group">
          <legend>{title}</legend>
          {names.map((name) => (
            <Input
              key={name}
              name={name}
              value={typed.value[name] ?? ""}
              onValue={(value) => set(name, value)}
              problem={problemOf(name)}
            />
          ))}
        </fieldset>
      ))}
      {error.value !== null && <ErrorNotice error={error.value} />}
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
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy.value || theirs.value !== null}>
          Save
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

type InputProps = {
  readonly name: FieldName;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem: string | undefined;
};

function Input({ name, value, onValue, problem }: InputProps) {
  const { kind, values } =
    name === "time" ? { kind: "text", values: undefined } : attributeOf(name);
  if (values) {
    const options = ["", ...values].map((one) => ({ value: one, text: one || "unknown" }));
    return <Select label={labelOf(name)} value={value} options={options} onValue={onValue} />;
  }
  return (
    <Field
      label={labelOf(name)}
      unit={unitOf(name)}
      value={value}
      onValue={onValue}
      problem={problem}
      {...((kind === "number" || kind === "integer") && { inputMode: "decimal" as const })}
    />
  );
}
