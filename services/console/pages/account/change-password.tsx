import { Link, useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import {
  AccountPage,
  checkedPassword,
  givenOutInWords,
  newPasswordFields,
  passwordField,
} from "../../features/account/account.tsx";
import { check, Form } from "../../ui/form/form.tsx";

const FIELDS = {
  currentPassword: passwordField("Current password"),
  ...newPasswordFields(),
  endTokens: check("End my access tokens too"),
};

export function Page() {
  const [, navigate] = useLocation();
  return (
    <AccountPage title="Change your password">
      <p class="muted">You stay signed in here; everywhere else you will be signed out.</p>
      <Form
        fields={FIELDS}
        action="Change the password"
        run={async (options, { currentPassword, endTokens, ...typed }) => {
          const body = { currentPassword, newPassword: checkedPassword(typed), endTokens };
          return call("POST /api/auth/change-password", { body }, options);
        }}
        done={(answer) => `Your password is changed. ${givenOutInWords(answer)}`}
        after={() => navigate("/profile")}
      >
        <Link href="/profile">Back to the profile</Link>
      </Form>
    </AccountPage>
  );
}
