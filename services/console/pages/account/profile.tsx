import { Fragment } from "preact";
import { call } from "../../api/call.ts";
import { type Role, readSession, user } from "../../api/session.ts";
import { useSettings } from "../../api/settings.ts";
import { RequestRole, RequestText } from "../../features/account/role-request.tsx";
import { Answered, useCall } from "../../ui/call.tsx";
import { Facts } from "../../ui/facts.tsx";
import { ButtonLink } from "../../ui/page.tsx";
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
        </section>
        <section class="panel">
          <h2>What you may do</h2>
          <RolesList role={me.role} />
        </section>
        {WAYS.map(
          ({ title, text, href, link, isOfPasswords }) =>
            (hasPasswords || !isOfPasswords) && (
              <section key={title} class="panel">
                <h2>{title}</h2>
                <p class="muted">{text}</p>
                <div class="row">
                  <ButtonLink href={href} text={link} />
                </div>
              </section>
            ),
        )}
        <Answered call={own}>
          {(requests) => (
            <>
              {me.role !== "admin" && requests.every(({ status }) => status !== "pending") && (
                <section class="panel">
                  <h2>Ask for another role</h2>
                  <RequestRole key={me.role} role={me.role} onSent={own.reload} />
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
          )}
        </Answered>
      </div>
    </section>
  );
}

const WAYS = [
  {
    title: "Password",
    text: "Changing it signs you out everywhere else.",
    href: "/change-password",
    link: "Change the password",
    isOfPasswords: true,
  },
  {
    title: "Programs",
    text: "Scripts, ObsPy, pandas, GDAL and QGIS sign in by access tokens.",
    href: "/tokens",
    link: "Access tokens",
    isOfPasswords: false,
  },
];

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
