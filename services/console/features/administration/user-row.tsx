import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { type Role, user as self } from "../../api/session.ts";
import type { UserAccount } from "../../model/catalogue.ts";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Select } from "../../ui/form/select.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { aRole, ROLE_OPTIONS, ROLES } from "../../ui/text/roles.ts";

type UserRowProps = {
  readonly user: UserAccount;
  readonly reload: () => void;
  readonly onDelete: () => void;
};

/** An account; what administrators change works at once. Nobody changes their own. */
export function UserRow({ user, reload, onDelete }: UserRowProps) {
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
