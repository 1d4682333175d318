import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../../api/call.ts";
import { nextAddress, signIn, useSettings } from "../../api/session.ts";
import {
  AccountPage,
  checkedPassword,
  EMAIL,
  NAME,
  newPasswordFields,
} from "../../features/account/account.tsx";
import { Form } from "../../ui/form/form.tsx";

const FIELDS = { name: NAME, email: EMAIL, ...newPasswordFields("Password") };

export function Page() {
  const settings = useSettings();
  const isWaiting = useSignal(false);
  const search = useSearch();
  const [, navigate] = useLocation();
  if (settings?.registration === "closed") {
    return (
      <AccountPage title="Register">
        <p>
          Nobody registers here:{" "}
          {settings.signIn.institute
            ? "you have an account as soon as you sign in with your institute's."
            : "ask an administrator for an account."}{" "}
          <Link href="/login">Sign in</Link>
        </p>
      </AccountPage>
    );
  }
  if (isWaiting.value) {
    return (
      <AccountPage title="Registered">
        <p role="status">
          The administrators have been told. You can <Link href="/login">sign in</Link> once one of
          them has activated your account.
        </p>
      </AccountPage>
    );
  }
  return (
    <AccountPage title="Register">
      <p class="muted">
        {settings?.registration === "approval" &&
          "You can sign in once an administrator has activated your account. "}
        With an account you read and export catalogues that are not restricted to others; you can
        ask for further rights in your profile.
      </p>
      <Form
        fields={FIELDS}
        action="Register"
        run={async (_, { name, email, ...typed }) => {
          const body = { name, email, password: checkedPassword(typed) };
          const { user } = await call("POST /api/auth/register", { body });
          if (user.is_active) await signIn(email, body.password);
          return user;
        }}
        after={({ is_active }) => {
          if (is_active) navigate(nextAddress(search));
          else isWaiting.value = true;
        }}
      >
        <Link href={`/login${search ? `?${search}` : ""}`}>Sign in instead</Link>
      </Form>
    </AccountPage>
  );
}
