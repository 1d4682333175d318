import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { readSession, user } from "../../api/session.ts";
import { RequestRole } from "../../features/account/request-role.tsx";
import { RequestText } from "../../features/account/role-request.tsx";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { ROLES, roleName } from "../../ui/text/roles.ts";

export function Page() {
  const { answer, error, reload } = useCall("own", async (signal) => {
    // A review may have changed the role.
    const [{ requests }] = await Promise.all([
      call("GET /api/role-requests/me", {}, { signal }),
      readSession(),
    ]);
    return requests;
  });
  const me = user.value;
  if (!me) return null;
  const isWaiting = answer.value?.some(({ status }) => status === "pending");
  return (
    <section class="page narrow">
      <h1>Profile</h1>
      <dl class="facts">
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
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {answer.value === null && error.value === null && <Waiting />}
      {answer.value !== null && me.role !== "admin" && !isWaiting && (
        <section class="stack">
          <h2>Ask for another role</h2>
          <RequestRole key={me.role} role={me.role} onSent={reload} />
        </section>
      )}
      {answer.value !== null && answer.value.length > 0 && (
        <section class="stack">
          <h2>My requests</h2>
          {answer.value.map((request) => (
            <article key={request.id} class="panel">
              <RequestText request={request} />
            </article>
          ))}
        </section>
      )}
    </section>
  );
}
