import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { type Role, readSession, user } from "../../api/session.ts";
import { AccountPage } from "../../features/account/account-page.tsx";
import { RequestRole } from "../../features/account/request-role.tsx";
import { RequestText } from "../../features/account/role-request.tsx";
import type { RoleRequest } from "../../model/role-request.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { ROLES, roleName } from "../../ui/text/roles.ts";

export function Page() {
  const own = useCall("own", async (signal) => {
    // A review may have changed the role.
    const [{ requests }] = await Promise.all([
      call("GET /api/role-requests/me", {}, { signal }),
      readSession(),
    ]);
    return requests;
  });
  const me = user.value;
  if (!me) return null;
  return (
    <AccountPage
      title="Profile"
      beside={
        <div class="stack">
          <Answered call={own}>
            {(requests) => <Requests role={me.role} requests={requests} reload={own.reload} />}
          </Answered>
        </div>
      }
    >
      <dl class="facts panel">
        <dt>Name</dt>
        <dd>{me.name}</dd>
        <dt>Email</dt>
        <dd>{me.email}</dd>
        <dt>Role</dt>
        <dd>
          {roleName(me.role)}: {ROLES.find(({ role }) => role === me.role)?.does}
        </dd>
        <dt>Password</dt>
        <dd>
          <Link href="/change-password">Change it</Link>
        </dd>
      </dl>
    </AccountPage>
  );
}

type RequestsProps = {
  readonly role: Role;
  readonly requests: readonly RoleRequest[];
  readonly reload: () => void;
};

function Requests({ role, requests, reload }: RequestsProps) {
  const isWaiting = requests.some(({ status }) => status === "pending");
  return (
    <>
      {role !== "admin" && !isWaiting && (
        <section class="panel">
          <h2>Ask for another role</h2>
          <RequestRole key={role} role={role} onSent={reload} />
        </section>
      )}
      {requests.length > 0 && (
        <section class="stack">
          <h2>My requests</h2>
          {requests.map((request) => (
            <article key={request.id} class="panel">
              <RequestText request={request} />
            </article>
          ))}
        </section>
      )}
    </>
  );
}
