import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { type Role, user as self } from "../../api/session.ts";
import { sentenceOf } from "../../ui/error-notice.tsx";
import { Moment } from "../../ui/moment.tsx";
import { notice } from "../../ui/notices.tsx";
import { Select } from "../../ui/select.tsx";
import { useAction } from "../../ui/use-action.ts";
import type { User } from "./users.tsx";

const ROLES = [
  { value: "viewer", text: "viewer" },
  { value: "editor", text: "editor" },
  { value: "admin", text: "admin" },
] as const;

type Change = { readonly role?: Role; readonly is_active?: boolean };

type UserRowProps = {
  readonly user: User;
  readonly reload: () => void;
  readonly onDelete: () => void;
};

/** An account; what administrators change works at once. Nobody changes their own. */
export function UserRow({ user, reload, onDelete }: UserRowProps) {
  const { isBusy, run } = useAction();
  // What was chosen is shown until the service has said how it is.
  const chosen = useSignal<Change>({});
  useEffect(() => {
    chosen.value = {};
  }, [user]);
  const { id, name, email, role, is_active } = { ...user, ...chosen.value };
  const isOwn = id === self.value?.id;
  const isFixed = isOwn || isBusy.value;
  const change = (body: Change, done: string) =>
    run(
      async () => {
        chosen.value = body;
        await call("PATCH /api/users/:id", { params: { id }, body });
        notice.done(done);
        reload();
      },
      (error) => {
        chosen.value = {};
        explain(error);
        reload();
      },
    );
  return (
    <tr>
      <td>
        {name} {isOwn && <span class="badge">you</span>}
      </td>
      <td>{email}</td>
      <td>
        <Select
          label={`Role of ${name}`}
          hasHiddenLabel
          value={role}
          options={ROLES}
          disabled={isFixed}
          onValue={(next) => change({ role: next }, `${name} is ${next} from now on.`)}
        />
      </td>
      <td>
        <input
          type="checkbox"
          aria-label={`${name} may sign in`}
          checked={is_active}
          disabled={isFixed}
          onChange={() =>
            change(
              { is_active: !is_active },
              is_active
                ? `${name} is signed out and cannot sign in.`
                : `${name} can sign in again.`,
            )
          }
        />
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

/** A conflict comes from another administrator who did the like to this one at the same moment. */
function explain(error: unknown): void {
  const isConflict = error instanceof CallError && error.status === 409;
  notice.error(isConflict ? new Error(`${sentenceOf(error)} ${WHY}`) : error);
}

const WHY =
  "Somebody has to be able to manage the accounts: make another person administrator first.";
