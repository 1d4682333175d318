import { call } from "../../api/call.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { notice } from "../../ui/notices.tsx";
import type { User } from "./users.tsx";

type DeleteUserProps = {
  readonly user: User;
  readonly reload: () => void;
  readonly onClose: () => void;
};

export function DeleteUser({ user, reload, onClose }: DeleteUserProps) {
  const { id, name, email } = user;
  const remove = async () => {
    await call("DELETE /api/users/:id", { params: { id } });
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
        Everything personal is deleted for good, and the address can register again. Catalogues stay
        as they are.
      </p>
    </ConfirmDialog>
  );
}
