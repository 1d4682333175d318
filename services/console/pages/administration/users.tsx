import { useSignal } from "@preact/signals";
import { Link, useSearchParams } from "wouter-preact";
import { CallError, call } from "../../api/call.ts";
import { callForAll } from "../../api/call-for-all.ts";
import { type Role, user as self } from "../../api/session.ts";
import { useSettings } from "../../api/settings.ts";
import type { UserAccount } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { bound, Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { aRole, ROLE_OPTIONS, ROLES } from "../../ui/text/roles.ts";

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

type UserRowProps = {
  readonly user: UserAccount;
  readonly reload: () => void;
  readonly onDelete: () => void;
};

/** An account; what administrators change works at once. Nobody changes their own. */
function UserRow({ user, reload, onDelete }: UserRowProps) {
  const { id, name, email } = user;
  const isOwn = id === self.value?.id;
  return (
    <tr>
      <td>
        {name} {isOwn && <span class="badge">you</span>}
      </td>
      <td class="email">{email}</td>
      <td>
        <RoleChoice user={user} isFixed={isOwn} reload={reload} />
      </td>
      <td>
        <MaySignIn user={user} isFixed={isOwn} reload={reload} />
      </td>
      <td>
        <Moment at={user.last_login} unknown="never" />
      </td>
      <td>
        <Moment at={user.created_at} />
      </td>
      <td class="number">
        <Link
          class="button quiet"
          href={`/tokens?user=${encodeURIComponent(id)}`}
          aria-label={`Access tokens of ${name}`}
        >
          Tokens
        </Link>{" "}
        {!isOwn && (
          <button type="button" aria-label={`Delete ${name}…`} onClick={onDelete}>
            Delete…
          </button>
        )}
      </td>
    </tr>
  );
}

type AccountChangeProps = {
  readonly user: UserAccount;
  readonly isFixed: boolean;
  readonly reload: () => void;
};

function RoleChoice({ user, isFixed, reload }: AccountChangeProps) {
  const chosen = useSignal<Role | null>(null);
  return (
    <>
      <Select
        label={`Role of ${user.name}`}
        hasHiddenLabel
        value={chosen.value ?? user.role}
        options={ROLE_OPTIONS}
        disabled={isFixed}
        onValue={(next) => (chosen.value = next)}
      />
      {chosen.value !== null && (
        <ChangeRole
          user={user}
          role={chosen.value}
          reload={reload}
          onClose={() => (chosen.value = null)}
        />
      )}
    </>
  );
}

function MaySignIn({ user: { id, name, is_active }, isFixed, reload }: AccountChangeProps) {
  const { isBusy, run } = useAction();
  const attempt = useAttempts();
  const change = () =>
    run(
      async () => {
        const body = { is_active: !is_active };
        await attempt(body, (idempotencyKey) =>
          call("PATCH /api/users/:id", { params: { id }, body }, { idempotencyKey }),
        );
        notice.done(
          is_active ? `${name} is signed out and cannot sign in.` : `${name} can sign in again.`,
        );
        reload();
      },
      (error) => {
        notice.error(explainConflict(error));
        reload();
      },
    );
  return (
    <input
      type="checkbox"
      aria-label={`${name} may sign in`}
      // While it runs, what was chosen.
      checked={isBusy.value ? !is_active : is_active}
      disabled={isFixed || isBusy.value}
      onChange={change}
    />
  );
}

type ChangeRoleProps = {
  readonly user: UserAccount;
  readonly role: Role;
  readonly reload: () => void;
  readonly onClose: () => void;
};

/** Asks first: a key pressed on the closed list of roles chooses one already. */
function ChangeRole({ user, role, reload, onClose }: ChangeRoleProps) {
  const { id, name, email } = user;
  const change = async (idempotencyKey: string) => {
    try {
      await call("PATCH /api/users/:id", { params: { id }, body: { role } }, { idempotencyKey });
    } catch (error) {
      reload();
      if (!(error instanceof CallError && error.status === 409)) throw error;
      // Outlasts this page, which may be for oneself no longer.
      notice.error(explainConflict(error));
      return;
    }
    notice.done(`${name} is now ${aRole(role)}.`);
    reload();
  };
  return (
    <ConfirmDialog
      title={`Make ${name} ${aRole(role)}`}
      action="Change the role"
      run={change}
      onClose={onClose}
    >
      <p>
        {name} ({email}) is {aRole(user.role)}. Being {aRole(role)}, this person{" "}
        {ROLES.find((one) => one.role === role)?.does}. It works at once.
      </p>
    </ConfirmDialog>
  );
}

const WHY =
  "Somebody has to be able to manage the accounts: make another person administrator first";

/** A conflict comes from another administrator who did the like to this one at the same moment. */
function explainConflict(error: unknown): unknown {
  if (!(error instanceof CallError) || error.status !== 409) return error;
  return new CallError(`${error.message}. ${WHY}`, error);
}

type AddUserProps = { readonly reload: () => void; readonly onClose: () => void };

/** Makes an account for somebody else, who then chooses its password. */
function AddUser({ reload, onClose }: AddUserProps) {
  const hasPasswords = useSettings()?.signIn.passwords ?? true;
  const name = useSignal("");
  const email = useSignal("");
  const role = useSignal<Role>("viewer");
  const attempt = useAttempts();
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = { name: name.value, email: email.value, role: role.value };
    const { user } = await attempt(body, (idempotencyKey) =>
      call("POST /api/users", { body }, { idempotencyKey }),
    );
    notice.done(`${user.name} has an account.`);
    reload();
    onClose();
  });
  return (
    <Dialog title="Add a user" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          {hasPasswords
            ? "A link for choosing a password goes to this address. It works for a week."
            : "This person signs in with the institute's account that has this address."}
        </p>
        <Field label="Name" autocomplete="off" required {...bound(name)} />
        <Field label="Email" type="email" autocomplete="off" required {...bound(email)} />
        <Select
          label="Role"
          {...bound(role)}
          options={ROLE_OPTIONS}
          hint={`This person ${ROLES.find((one) => one.role === role.value)?.does}.`}
        />
        <ErrorNotice error={error.value} />
        <SubmitRow text="Add the user" isDisabled={isBusy.value} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

type DeleteUserProps = {
  readonly user: UserAccount;
  readonly reload: () => void;
  readonly onClose: () => void;
};

function DeleteUser({ user, reload, onClose }: DeleteUserProps) {
  const { id, name, email } = user;
  const remove = async (idempotencyKey: string) => {
    await call("DELETE /api/users/:id", { params: { id } }, { idempotencyKey });
    notice.done(`The account of ${name} is deleted.`);
    reload();
  };
  return (
    <ConfirmDialog
      title={`Delete the account of ${name}`}
      action="Delete the account"
      name={email}
      run={remove}
      onClose={onClose}
    >
      <p>
        Name, address and password are deleted for good; the address can be registered again.
        Catalogues stay as they are.
      </p>
    </ConfirmDialog>
  );
}
