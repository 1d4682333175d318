import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import type { Role } from "../../api/session.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { bound } from "../../ui/form/bound.ts";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { TextArea } from "../../ui/form/text-area.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { ROLES } from "../../ui/text/roles.ts";

type Requested = Exclude<Role, "viewer">;

type RequestRoleProps = { readonly role: Role; readonly onSent: () => void };

/** Asks the administrators for a role above one's own. */
export function RequestRole({ role, onSent }: RequestRoleProps) {
  const above = ROLES.slice(ROLES.findIndex((one) => one.role === role) + 1);
  const options = above.map((one) => ({
    value: one.role as Requested,
    text: `${one.name}: ${one.does}`,
  }));
  const requestedRole = useSignal<Requested>(options[0]?.value ?? "admin");
  const justification = useSignal("");
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = { requestedRole: requestedRole.value, justification: justification.value };
    await attempt(body, (idempotencyKey) =>
      call("POST /api/role-requests", { body }, { idempotencyKey }),
    );
    justification.value = "";
    notice.done("Your request is sent. You get a mail when it is reviewed.");
    onSent();
  });
  return (
    <form onSubmit={submit}>
      <Select label="Role" {...bound(requestedRole)} options={options} />
      <TextArea
        label="What you need it for"
        required
        min={10}
        max={1_000}
        problem={problemOf("justification")}
        {...bound(justification)}
      />
      <ErrorNotice error={problemOf("justification") ? null : error.value} />
      <SubmitRow text="Send the request" isDisabled={isBusy.value} />
    </form>
  );
}
