import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { NamesOfPeople, Person } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { type Group, GroupDialog } from "./group-dialog.tsx";

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
