import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { GroupDialog, GroupsTable } from "../../features/access/groups.tsx";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Empty } from "../../ui/states.tsx";

export function Page() {
  const found = useCall("groups", (signal) => call("GET /api/groups", {}, { signal }));
  const isAdding = useSignal(false);
  return (
    <section class="page">
      <div class="page-head">
        <h1>Groups</h1>
        <button type="button" class="primary" onClick={() => (isAdding.value = true)}>
          New group
        </button>
      </div>
      <p class="muted">
        A group can be a member of catalogues: its people then have its right, as far as their roles
        go. Owners of catalogues name it by its id.
      </p>
      <Answered call={found}>
        {({ groups }) =>
          groups.length > 0 ? (
            <GroupsTable groups={groups} reload={found.reload} />
          ) : (
            <Empty
              title="There are no groups yet."
              text="Make one of the people who work on the same catalogues."
            />
          )
        }
      </Answered>
      {isAdding.value && (
        <GroupDialog group={null} reload={found.reload} onClose={() => (isAdding.value = false)} />
      )}
    </section>
  );
}
