import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { bound, Field } from "../../ui/form/field.tsx";
import { Checkbox } from "../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { NamesOfPeople, Person } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { foundAmong, readPeople } from "./people.ts";

type GroupsTableProps = { readonly groups: readonly Group[]; readonly reload: () => void };

/** Groups with their people, each with the ways to change it. */
export function GroupsTable({ groups, reload }: GroupsTableProps) {
  const changed = useSignal<Group | null>(null);
  const leaving = useSignal<Group | null>(null);
  return (
    <>
      <NamesOfPeople />
      <Table
        label="Groups"
        kind="log folds"
        columns={["Name", "People", "Id", "Changed", { hidden: "Actions" }]}
      >
        {groups.map((group) => (
          <tr key={group.id}>
            <td class="words">{group.name}</td>
            <td class="words">
              <People ids={group.members} />
            </td>
            <td>
              <span class="code">{group.id}</span>
            </td>
            <td>
              <Moment at={group.updated_at} />
            </td>
            <td class="number">
              <button
                type="button"
                aria-label={`Change ${group.name}…`}
                onClick={() => (changed.value = group)}
              >
                Change…
              </button>{" "}
              <button
                type="button"
                aria-label={`Delete ${group.name}…`}
                onClick={() => (leaving.value = group)}
              >
                Delete…
              </button>
            </td>
          </tr>
        ))}
      </Table>
      {changed.value && (
        <GroupDialog group={changed.value} reload={reload} onClose={() => (changed.value = null)} />
      )}
      {leaving.value && (
        <DeleteGroup group={leaving.value} reload={reload} onClose={() => (leaving.value = null)} />
      )}
    </>
  );
}

/** As many as are named. */
const NAMED = 6;

function People({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return <span class="muted">nobody</span>;
  return (
    <>
      {ids.slice(0, NAMED).map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Person id={id} />
        </span>
      ))}
      {ids.length > NAMED && ` and ${count(ids.length - NAMED)} more`}
    </>
  );
}

type DeleteGroupProps = {
  readonly group: Group;
  readonly reload: () => void;
  readonly onClose: () => void;
};

function DeleteGroup({ group: { id, name }, reload, onClose }: DeleteGroupProps) {
  const remove = async (idempotencyKey: string) => {
    await call("DELETE /api/groups/:id", { params: { id } }, { idempotencyKey });
    notice.done(`The group “${name}” is deleted.`);
    reload();
  };
  return (
    <ConfirmDialog
      title={`Delete the group “${name}”`}
      action="Delete the group"
      isDanger
      run={remove}
      onClose={onClose}
    >
      <p>Its people lose the rights that they had by it, at once. Their accounts stay.</p>
    </ConfirmDialog>
  );
}

type Group = AnswerOf<"GET /api/groups">["groups"][number];

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
