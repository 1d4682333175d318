import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { bound } from "../../ui/form/bound.ts";
import { Checkbox } from "../../ui/form/checkbox.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field } from "../../ui/form/field.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { counted } from "../../ui/text/format.ts";
import { foundAmong, readPeople } from "./people.ts";

export type Group = AnswerOf<"GET /api/groups">["groups"][number];

type GroupDialogProps = {
  /** The one that is changed; null: a new one. */
  readonly group: Group | null;
  readonly reload: () => void;
  readonly onClose: () => void;
};

/** The name of a group and the people in it. */
export function GroupDialog({ group, reload, onClose }: GroupDialogProps) {
  const name = useSignal(group?.name ?? "");
  const members = useSignal<readonly string[]>(group?.members ?? []);
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = { name: name.value.trim(), members: [...members.value] };
    await attempt(body, (idempotencyKey) =>
      group === null
        ? call("POST /api/groups", { body }, { idempotencyKey })
        : call("PATCH /api/groups/:id", { params: { id: group.id }, body }, { idempotencyKey }),
    );
    notice.done(group === null ? `“${body.name}” is a group now.` : `“${body.name}” is saved.`);
    reload();
    onClose();
  });
  return (
    <Dialog title={group === null ? "New group" : `The group “${group.name}”`} onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          autocomplete="off"
          required
          {...bound(name)}
          problem={problemOf("name")}
        />
        <PeopleField {...bound(members)} />
        <ErrorNotice error={problemOf("name") ? null : error.value} />
        <SubmitRow
          text={group === null ? "Make the group" : "Save"}
          isDisabled={isBusy.value}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

type PeopleFieldProps = {
  /** Ids of users. */
  readonly value: readonly string[];
  readonly onValue: (ids: readonly string[]) => void;
};

function PeopleField({ value, onValue }: PeopleFieldProps) {
  const search = useSignal("");
  const people = useCall("people", readPeople);
  const toggle = (id: string) =>
    onValue(value.includes(id) ? value.filter((one) => one !== id) : [...value, id]);
  return (
    <fieldset class="stack">
      <legend>People ({counted(value.length, "member")})</legend>
      <Field label="Part of the name or address" type="search" {...bound(search)} />
      <Answered call={people}>
        {(all) => (
          <div class="choice-list">
            {foundAmong(all, search.value).map(({ id, text }) => (
              <Checkbox key={id} checked={value.includes(id)} onChecked={() => toggle(id)}>
                {text}
              </Checkbox>
            ))}
          </div>
        )}
      </Answered>
    </fieldset>
  );
}
