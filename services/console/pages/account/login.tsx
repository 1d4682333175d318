import { Link, useLocation, useSearch } from "wouter-preact";
import { SIGN_IN_REFUSALS } from "#contracts/errors.ts";
import { nextAddress, signIn, useSettings } from "../../api/session.ts";
import { AccountPage, EMAIL, passwordField } from "../../features/account/account.tsx";
import { Form } from "../../ui/form/form.tsx";

const FIELDS = { email: EMAIL, password: passwordField("Password") };

/** Signs in, and leads on to where the person wanted to go. */
export function Page() {
  const search = useSearch();
  const settings = useSettings();
  const [, navigate] = useLocation();
  const { passwords, institute } = settings?.signIn ?? { passwords: true, institute: false };
  const byPassword = (
    <Form
      fields={FIELDS}
      action="Sign in"
      run={(_, { email, password }) => signIn(email, password)}
      after={() => navigate(nextAddress(search))}
    >
      {passwords && <Link href="/forgot-password">Password forgotten</Link>}
      {settings?.registration !== "closed" && (
        <Link href={`/register${search ? `?${search}` : ""}`}>Register</Link>
      )}
    </Form>
  );
  const next = nextAddress(search);
  // Why the institute's account did not sign in, where the service has led back because of that.
  const refused = new URLSearchParams(search).get("refused") ?? "";
  return (
    <AccountPage title="Sign in">
      {isRefusal(refused) && (
        <div class="notice error">
          <span role="alert">{SIGN_IN_REFUSALS[refused].text}.</span>
        </div>
      )}
      {institute && (
        <div class="row">
          <a
            class={passwords ? "button" : "button primary"}
            // The institute leads back to where the person wanted to go.
            href={`/api/auth/oidc${next === "/" ? "" : `?next=${encodeURIComponent(next)}`}`}
          >
            Sign in with your institute's account
          </a>
        </div>
      )}
      {institute && passwords && <h2>Or with a password</h2>}
      {passwords ? (
        byPassword
      ) : (
        <details>
          <summary>Sign in as this service's first administrator</summary>
          {byPassword}
        </details>
      )}
    </AccountPage>
  );
}

function isRefusal(reason: string): reason is keyof typeof SIGN_IN_REFUSALS {
  return Object.hasOwn(SIGN_IN_REFUSALS, reason);
}
