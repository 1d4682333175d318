import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import type { Role } from "../../api/session.ts";
import type { RoleRequest } from "../../model/operation-types.ts";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { bound } from "../../ui/form/field.tsx";
import { Select, TextArea } from "../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { Moment } from "../../ui/text/moment.tsx";
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

const BADGES: Readonly<Record<RoleRequest["status"], string>> = {
  pending: "badge warning",
  approved: "badge good",
  rejected: "badge bad",
};

/** What a request says, and what was answered. */
export function RequestText({ request }: { readonly request: RoleRequest }) {
  const { status, requested_role, current_role, justification } = request;
  return (
    <>
      <p class="row">
        <strong>
          {current_role} to {requested_role}
        </strong>
        <span class={BADGES[status]}>{status}</span>
        <span class="muted">
          asked <Moment at={request.created_at} />
          {request.reviewed_at && (
            <>
              , reviewed <Moment at={request.reviewed_at} />
            </>
          )}
        </span>
      </p>
      <blockquote class="quote">{justification}</blockquote>
      {request.admin_notes && (
        <>
          <p class="muted small">The administrator’s note</p>
          <blockquote class="quote">{request.admin_notes}</blockquote>
        </>
      )}
    </>
  );
}
