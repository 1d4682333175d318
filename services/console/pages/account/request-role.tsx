import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import type { Role } from "../../api/session.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { notice } from "../../ui/notices.tsx";
import { Select } from "../../ui/select.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useSubmit } from "../../ui/use-submit.ts";

const ROLES = [
  { value: "editor", text: "Editor: makes, imports, merges and edits catalogues" },
  { value: "admin", text: "Administrator: also decides who may do what" },
] as const;

type RequestRoleProps = { readonly role: Role; readonly onSent: () => void };

/** Asks the administrators for a role above one's own. */
export function RequestRole({ role, onSent }: RequestRoleProps) {
  const options = ROLES.filter(({ value }) => role === "viewer" || value === "admin");
  const requestedRole = useSignal(options[0]?.value ?? "admin");
  const justification = useSignal("");
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = { requestedRole: requestedRole.value, justification: justification.value };
    await call("POST /api/role-requests", { body });
    justification.value = "";
    notice.done("Your request is sent. You will get a mail when it is reviewed.");
    onSent();
  });
  return (
    <form onSubmit={submit}>
      <Select
        label="Role"
        value={requestedRole.value}
        options={options}
        onValue={(value) => {
          requestedRole.value = value;
        }}
      />
      <TextArea
        label="What you need it for"
        required
        min={10}
        max={1_000}
        value={justification.value}
        onValue={(value) => {
          justification.value = value;
        }}
      />
      {error.value !== null && <ErrorNotice error={error.value} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy.value}>
          Send the request
        </button>
      </div>
    </form>
  );
}
