import { useSignal } from "@preact/signals";
import { useSearchParams } from "wouter-preact";
import { callForAll } from "../../api/call-for-all.ts";
import { DeleteUser } from "../../features/administration/delete-user.tsx";
import { UserRow } from "../../features/administration/user-row.tsx";
import type { UserAccount } from "../../model/catalogue.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { TableHead } from "../../ui/table-head.tsx";
import { count, counted } from "../../ui/text/format.ts";

export function Page() {
  const [query, setQuery] = useSearchParams();
  const search = query.get("search") ?? "";
  const { answer, error, reload } = useCall("users", (signal) =>
    callForAll("GET /api/users", {}, { signal }),
  );
  const find = (typed: string) => setQuery(typed ? { search: typed } : {}, { replace: true });
  return (
    <section class="page">
      <div class="page-head">
        <h1>Users</h1>
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
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {answer.value === null ? (
        error.value === null && <Waiting />
      ) : (
        <Users users={answer.value.answer.users} search={search} reload={reload} />
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
      <ScrollArea label="Users">
        <table class="log">
          <TableHead
            columns={[
              "Name",
              "Email",
              "Role",
              "May sign in",
              "Last sign-in",
              "Registered",
              { hidden: "Actions" },
            ]}
          />
          <tbody>
            {listed.map((user) => (
              <UserRow
                key={user.id}
                user={user}
                reload={reload}
                onDelete={() => (leaving.value = user)}
              />
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {leaving.value && (
        <DeleteUser user={leaving.value} reload={reload} onClose={() => (leaving.value = null)} />
      )}
    </>
  );
}

function isFound({ id, name, email }: UserAccount, search: string): boolean {
  return [id, name, email].some((text) => text.toLowerCase().includes(search));
}
