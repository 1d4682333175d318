import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { type Role, user as self } from "../../api/session.ts";
import { Moment } from "../../ui/moment.tsx";
import { notice } from "../../ui/notices.tsx";
import { ROLES } from "../../ui/roles.ts";
import { Select } from "../../ui/select.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useAttempts } from "../../ui/use-attempts.ts";
import { ChangeRole } from "./change-role.tsx";
import { explained } from "./explained.ts";
import type { User } from "./users.tsx";

const OPTIONS = ROLES.map(({ role, name }) => ({ value: role, text: name }));

type UserRowProps = {
  readonly user: User;
  readonly reload: () => void;
  readonly onDelete: () => void;
};

/** An account; what administrators change works at once. Nobody changes their own. */
export function UserRow({ user, reload, onDelete }: UserRowProps) {
  const { id, name, email, role } = user;
  const isOwn = id === self.value?.id;
  const asked = useSignal<Role | null>(null);
  return (
    <tr>
      <td>
        {name} {isOwn && <span class="badge">you</span>}
      </td>
      <td class="email">{email}</td>
      <td>
        <Select
          label={`Role of ${name}`}
          hasHiddenLabel
          value={asked.value ?? role}
          options={OPTIONS}
          disabled={isOwn}
          onValue={(next) => {
            asked.value = next;
          }}
        />
        {asked.value !== null && (
          <ChangeRole
            user={user}
            role={asked.value}
            reload={reload}
            onClose={() => {
              asked.value = null;
            }}
          />
        )}
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
        {!isOwn && (
          <button type="button" aria-label={`Delete ${name}…`} onClick={onDelete}>
            Delete…
          </button>
        )}
      </td>
    </tr>
  );
}

type MaySignInProps = {
  readonly user: User;
  readonly isFixed: boolean;
  readonly reload: () => void;
};

function MaySignIn({ user: { id, name, is_active }, isFixed, reload }: MaySignInProps) {
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
        notice.error(explained(error));
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
