import { Fragment } from "preact";
import { call } from "../../api/call.ts";
import { type Role, readSession, user, useSettings } from "../../api/session.ts";
import { RequestRole, RequestText } from "../../features/account/role-request.tsx";
import { Answered, useCall } from "../../ui/call.tsx";
import { ButtonLink, Facts, Frame, Panel } from "../../ui/page.tsx";
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
    <Frame title="Profile">
      <div class="sheets">
        <Panel title="Account">
          <Facts
            facts={[
              ["Name", me.name],
              ["Email", me.email],
              ["Role", roleName(me.role)],
              [
                "Id",
                <Fragment key="id">
                  <span class="code">{me.id}</span>
                  <p class="hint">Tell it to owners of catalogues who make you a member.</p>
                </Fragment>,
              ],
            ]}
          />
        </Panel>
        <Panel title="What you may do">
          <RolesList role={me.role} />
        </Panel>
        {hasPasswords && (
          <Panel title="Password">
            <p class="muted">Changing it signs you out everywhere else.</p>
            <div class="row">
              <ButtonLink href="/change-password" text="Change the password" />
            </div>
          </Panel>
        )}
        <Panel title="Programs">
          <p class="muted">Scripts, ObsPy, pandas, GDAL and QGIS sign in by access tokens.</p>
          <div class="row">
            <ButtonLink href="/tokens" text="Access tokens" />
          </div>
        </Panel>
        <Answered call={own}>
          {(requests) => (
            <>
              {me.role !== "admin" && requests.every(({ status }) => status !== "pending") && (
                <Panel title="Ask for another role">
                  <RequestRole key={me.role} role={me.role} onSent={own.reload} />
                </Panel>
              )}
              {requests.length > 0 && (
                <Panel title="My requests">
                  {requests.map((request) => (
                    <article key={request.id} class="stack">
                      <RequestText request={request} />
                    </article>
                  ))}
                </Panel>
              )}
            </>
          )}
        </Answered>
      </div>
    </Frame>
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
