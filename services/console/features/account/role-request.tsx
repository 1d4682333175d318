import type { RoleRequest } from "../../model/role-request.ts";
import { Moment } from "../../ui/text/moment.tsx";

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
