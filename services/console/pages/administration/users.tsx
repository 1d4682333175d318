import { useSignal } from "@preact/signals";
import { useSearchParams } from "wouter-preact";
import { callForAll } from "../../api/call-for-all.ts";
import { AddUser } from "../../features/administration/add-user.tsx";
import { DeleteUser } from "../../features/administration/delete-user.tsx";
import { UserRow } from "../../features/administration/user-row.tsx";
import type { UserAccount } from "../../model/catalogue.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Table } from "../../ui/table.tsx";
import { count, counted } from "../../ui/text/format.ts";

export function Page() {
  const [query, setQuery] = useSearchParams();
  const search = query.get("search") ?? "";
  const accounts = useCall("users", (signal) => callForAll("GET /api/users", {}, { signal }));
  const isAdding = useSignal(false);
  const find = (typed: string) => setQuery(typed ? { search: typed } : {}, { replace: true });
  return (
    <section class="page">
      <div class="page-head">
        <h1>Users</h1>
        <button type="button" class="primary" onClick={() => (isAdding.value = true)}>
          Add a user
        </button>
        <search>
          <input
            type="search"
            aria-label="Part of the name or address"
            placeholder="Name or address"
            data-shortcut="/"
            value={search}
            onInput={({ currentTarget }) => find(currentTarget.value)}
          />
        </search>
      </div>
      <Answered call={accounts}>
        {({ answer }) => <Users users={answer.users} search={search} reload={accounts.reload} />}
      </Answered>
      {isAdding.value && (
        <AddUser reload={accounts.reload} onClose={() => (isAdding.value = false)} />
      )}
    </section>
  );
}

type UsersProps = {
  readonly users: readonly UserAccount[];
  readonly search: string;
  readonly reload: () => void;
};

function Users({ users, search, reload }: UsersProps) {
  const leaving = useSignal<UserAccount | null>(null);
  const listed = users.filter((user) => isFound(user, search.toLowerCase()));
  return (
    <>
      <p class="muted">
        {search && `${count(listed.length)} of `}
        {counted(users.length, "account")}
      </p>
      <Table
        label="Users"
        kind="log folds"
        columns={[
          "Name",
          "Email",
          "Role",
          "May sign in",
          "Last sign-in",
          "Registered",
          { hidden: "Actions" },
        ]}
      >
        {listed.map((user) => (
          <UserRow
            key={user.id}
            user={user}
            reload={reload}
            onDelete={() => (leaving.value = user)}
          />
        ))}
      </Table>
      {leaving.value && (
        <DeleteUser user={leaving.value} reload={reload} onClose={() => (leaving.value = null)} />
      )}
    </>
  );
}

function isFound({ id, name, email }: UserAccount, search: string): boolean {
  return [id, name, email].some((text) => text.toLowerCase().includes(search));
}
