import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import type { Role } from "../../api/session.ts";
import { useSettings } from "../../api/settings.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { bound } from "../../ui/form/bound.ts";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { ROLE_OPTIONS, ROLES } from "../../ui/text/roles.ts";

type AddUserProps = { readonly reload: () => void; readonly onClose: () => void };

/** Makes an account for somebody else, who then chooses its password. */
export function AddUser({ reload, onClose }: AddUserProps) {
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
