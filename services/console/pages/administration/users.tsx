import { useSignal } from "@preact/signals";
import { useSearchParams } from "wouter-preact";
import { CallError, call, callForAll, statusOf, type UserAccount } from "../../api/call.ts";
import { type Role, user as self, useSettings } from "../../api/session.ts";
import { Answered, notice, useCall, useWrite } from "../../ui/call.tsx";
import { ask } from "../../ui/form/ask.ts";
import { Select } from "../../ui/form/fields.tsx";
import { choice, input } from "../../ui/form/form.tsx";
import { Button, ButtonLink, Frame } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { aRole, ROLE_OPTIONS, ROLES } from "../../ui/text/roles.ts";

export function Page() {
  const [query, setQuery] = useSearchParams();
  const search = query.get("search") ?? "";
  const accounts = useCall("users", (signal) => callForAll("GET /api/users", {}, { signal }));
  const hasPasswords = useSettings()?.signIn.passwords ?? true;
  const find = (typed: string) => setQuery(typed ? { search: typed } : {}, { replace: true });
  return (
    <Frame
      title="Users"
      head={
        <>
          <Button
            class="primary"
            onClick={() => askForUser(hasPasswords, accounts.reload)}
            text="Add a user"
          />
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
        </>
      }
    >
      <Answered call={accounts}>
        {({ answer }) => <Users users={answer.users} search={search} reload={accounts.reload} />}
      </Answered>
    </Frame>
  );
}

type UsersProps = {
  readonly users: readonly UserAccount[];
  readonly search: string;
  readonly reload: () => void;
};

/** Accounts; what administrators change works at once. Nobody changes their own. */
function Users({ users, search, reload }: UsersProps) {
  const listed = users.filter((user) => isFound(user, search.toLowerCase()));
  const isOwn = ({ id }: UserAccount) => id === self.value?.id;
  return (
    <>
      <p class="muted">
        {search && `${count(listed.length)} of `}
        {counted(users.length, "account")}
      </p>
      <Table
        label="Users"
        kind="log folds"
        rows={listed}
        columns={[
          [
            "Name",
            (user) => (
              <>
                {user.name} {isOwn(user) && <span class="badge">you</span>}
              </>
            ),
          ],
          ["Email", ({ email }) => email, "email"],
          ["Role", (user) => <RoleChoice user={user} isFixed={isOwn(user)} reload={reload} />],
          [
            "May sign in",
            (user) => <MaySignIn user={user} isFixed={isOwn(user)} reload={reload} />,
          ],
          ["Last sign-in", (user) => <Moment at={user.last_login} unknown="never" />],
          ["Registered", (user) => <Moment at={user.created_at} />],
          [
            "Actions",
            (user) => (
              <>
                <ButtonLink
                  class="quiet"
                  href={`/tokens?user=${encodeURIComponent(user.id)}`}
                  aria-label={`Access tokens of ${user.name}`}
                  text="Tokens"
                />{" "}
                {!isOwn(user) && (
                  <Button
                    aria-label={`Delete ${user.name}…`}
                    onClick={() => askToDelete(user, reload)}
                    text="Delete…"
                  />
                )}
              </>
            ),
            "number",
            "hidden",
          ],
        ]}
      />
    </>
  );
}

function askToDelete({ id, name, email }: UserAccount, reload: () => void): void {
  ask({
    title: `Delete the account of ${name}`,
    action: "Delete the account",
    name: email,
    text: "Name, address and password are deleted for good; the address can be registered again. Catalogues stay as they are.",
    run: (options) => call("DELETE /api/users/:id", { params: { id } }, options),
    done: `The account of ${name} is deleted.`,
    after: reload,
  });
}

function isFound({ id, name, email }: UserAccount, search: string): boolean {
  return [id, name, email].some((text) => text.toLowerCase().includes(search));
}

type AccountChangeProps = {
  readonly user: UserAccount;
  readonly isFixed: boolean;
  readonly reload: () => void;
};

/** Asks first: a key pressed on the closed list of roles chooses one already. */
function RoleChoice({ user: { id, name, email, role: now }, isFixed, reload }: AccountChangeProps) {
  const chosen = useSignal<Role | null>(null);
  const change = (role: Role) => {
    chosen.value = role;
    ask({
      title: `Make ${name} ${aRole(role)}`,
      action: "Change the role",
      text: `${name} (${email}) is ${aRole(now)}. Being ${aRole(role)}, this person ${doesAs(role)}. It works at once.`,
      run: (options) =>
        call("PATCH /api/users/:id", { params: { id }, body: { role } }, options)
          .then(
            () => notice.done(`${name} is now ${aRole(role)}.`),
            (error: unknown) => {
              if (statusOf(error) !== 409) throw error;
              // Outlasts this page, which may be for oneself no longer.
              notice.error(explainConflict(error));
            },
          )
          .finally(reload),
      onClose: () => (chosen.value = null),
    });
  };
  return (
    <Select
      label={`Role of ${name}`}
      hasHiddenLabel
      value={chosen.value ?? now}
      options={ROLE_OPTIONS}
      disabled={isFixed}
      onValue={change}
    />
  );
}

function MaySignIn({ user: { id, name, is_active }, isFixed, reload }: AccountChangeProps) {
  const { isBusy, write } = useWrite();
  const change = () => {
    const body = { is_active: !is_active };
    write({
      what: body,
      send: (options) => call("PATCH /api/users/:id", { params: { id }, body }, options),
      done: is_active ? `${name} is signed out and cannot sign in.` : `${name} can sign in again.`,
      reload,
      explain: explainConflict,
    });
  };
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

const WHY =
  "Somebody has to be able to manage the accounts: make another person administrator first";

/** A conflict comes from another administrator who did the like to this one at the same moment. */
function explainConflict(error: unknown): unknown {
  if (!(error instanceof CallError) || error.status !== 409) return error;
  return new CallError(`${error.message}. ${WHY}`, error);
}

const FIELDS = {
  name: input({ label: "Name", autocomplete: "off", required: true }),
  email: input({ label: "Email", type: "email", autocomplete: "off", required: true }),
  role: choice("Role", ROLE_OPTIONS, { hint: (role) => `This person ${doesAs(role)}.` }),
};

/** Makes an account for somebody else, who then chooses its password. */
function askForUser(hasPasswords: boolean, reload: () => void): void {
  ask({
    title: "Add a user",
    action: "Add the user",
    text: hasPasswords
      ? "A link for choosing a password goes to this address. It works for a week."
      : "This person signs in with the institute's account that has this address.",
    fields: FIELDS,
    run: (options, body) => call("POST /api/users", { body }, options),
    done: ({ user }) => `${user.name} has an account.`,
    after: reload,
  });
}

function doesAs(role: Role): string | undefined {
  return ROLES.find((one) => one.role === role)?.does;
}
