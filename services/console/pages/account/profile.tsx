import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { type Role, readSession, user } from "../../api/session.ts";
import { useSettings } from "../../api/settings.ts";
import { RequestRole, RequestText } from "../../features/account/role-request.tsx";
import type { RoleRequest } from "../../model/operation-types.ts";
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
  const hasPasswords = useSettings()?.signIn.passwords ?? true;
  const me = user.value;
  if (!me) return null;
  return (
    <section class="page">
      <h1>Profile</h1>
      <div class="sheets">
        <section class="panel">
          <h2>Account</h2>
          <dl class="facts">
            <dt>Name</dt>
            <dd>{me.name}</dd>
            <dt>Email</dt>
            <dd>{me.email}</dd>
            <dt>Role</dt>
            <dd>{roleName(me.role)}</dd>
            <dt>Id</dt>
            <dd>
              <span class="code">{me.id}</span>
              <p class="hint">Tell it to owners of catalogues who make you a member.</p>
            </dd>
          </dl>
        </section>
        <section class="panel">
          <h2>What you may do</h2>
          <RolesList role={me.role} />
        </section>
        {hasPasswords && <Password />}
        <Programs />
        <Answered call={own}>
          {(requests) => <Requests role={me.role} requests={requests} reload={own.reload} />}
        </Answered>
      </div>
    </section>
  );
}

function Password() {
  return (
    <section class="panel">
      <h2>Password</h2>
      <p class="muted">Changing it signs you out everywhere else.</p>
      <div class="row">
        <Link class="button" href="/change-password">
          Change the password
        </Link>
      </div>
    </section>
  );
}

function Programs() {
  return (
    <section class="panel">
      <h2>Programs</h2>
      <p class="muted">Scripts, ObsPy, pandas, GDAL and QGIS sign in by access tokens.</p>
      <div class="row">
        <Link class="button" href="/tokens">
          Access tokens
        </Link>
      </div>
    </section>
  );
}

/** All roles, from the least up, with those whose rights one has ticked. */
function RolesList({ role }: { readonly role: Role }) {
  const own = ROLES.findIndex((one) => one.role === role);
  return (
    <ul class="checked">
      {ROLES.map(({ role: one, name, does }, i) => (
        <li
          key={one}
          class={i > own ? "lacking" : undefined}
          aria-current={one === role ? "true" : undefined}
        >
          <span>
            <strong>{name}</strong>: {does}
            {one === role && (
              <>
                {" "}
                <span class="badge good">your role</span>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
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
        <section class="panel">
          <h2>My requests</h2>
          {requests.map((request) => (
            <article key={request.id} class="stack">
              <RequestText request={request} />
            </article>
          ))}
        </section>
      )}
    </>
  );
}
