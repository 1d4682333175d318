import { useMemo } from "preact/hooks";
import { call, type RoleRequest } from "../../api/call.ts";
import type { Role } from "../../api/session.ts";
import { untouched } from "../../ui/form/codecs.ts";
import { area, choice, Form } from "../../ui/form/form.tsx";
import { Moment } from "../../ui/text/moment.tsx";
import { ROLES } from "../../ui/text/roles.ts";

type Requested = Exclude<Role, "viewer">;

/** Asks the administrators for a role above one's own. */
export function RequestRole(props: { readonly role: Role; readonly onSent: () => void }) {
  const { role, onSent } = props;
  const above = ROLES.slice(ROLES.findIndex((one) => one.role === role) + 1);
  const options = above.map((one) => ({
    value: one.role as Requested,
    text: `${one.name}: ${one.does}`,
  }));
  const fields = useMemo(
    () => ({
      requestedRole: choice("Role", options),
      justification: area(
        { label: "What you need it for", required: true, min: 10, max: 1_000 },
        untouched,
      ),
    }),
    [role],
  );
  return (
    <Form
      fields={fields}
      action="Send the request"
      run={(options, body) => call("POST /api/role-requests", { body }, options)}
      done="Your request is sent. You get a mail when it is reviewed."
      after={onSent}
    />
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
