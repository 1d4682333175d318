import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import type { Role } from "../../api/session.ts";
import type { UserAccount } from "../../model/catalogue.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { aRole, ROLES } from "../../ui/text/roles.ts";
import { explainConflict } from "./explain-conflict.ts";

type ChangeRoleProps = {
  readonly user: UserAccount;
  readonly role: Role;
  readonly reload: () => void;
  readonly onClose: () => void;
};

/** Asks first: a key pressed on the closed list of roles chooses one already. */
export function ChangeRole({ user, role, reload, onClose }: ChangeRoleProps) {
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
