import { call } from "../../api/call.ts";
import type { UserAccount } from "../../model/catalogue.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";

type DeleteUserProps = {
  readonly user: UserAccount;
  readonly reload: () => void;
  readonly onClose: () => void;
};

export function DeleteUser({ user, reload, onClose }: DeleteUserProps) {
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
