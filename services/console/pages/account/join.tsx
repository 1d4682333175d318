import { Link, useLocation, useSearch } from "wouter-preact";
import { joinInstitute, nextAddress, useSettings } from "../../api/session.ts";
import { AccountPage, givenOutInWords, passwordField } from "../../features/account/account.tsx";
import { notice } from "../../ui/call.tsx";
import { Form } from "../../ui/form/form.tsx";

const FIELDS = {
  password: { ...passwordField("Password of your account here"), problemIn: () => undefined },
};

/** Where the service leads whom the institute has confirmed, and whose address has an account already. */
export function Page() {
  const search = useSearch();
  const hasPasswords = useSettings()?.signIn.passwords ?? false;
  const [, navigate] = useLocation();
  return (
    <AccountPage title="Join your account">
      <p>
        Your email address has an account here already. Type its password once, and your institute's
        account signs in to it from now on.
      </p>
      <Form
        fields={FIELDS}
        action="Join and sign in"
        run={(_, { password }) => joinInstitute(password)}
        after={(answer) => {
          const words = givenOutInWords(answer);
          if (words !== "") notice.done(words);
          navigate(nextAddress(search), { replace: true });
        }}
      >
        {hasPasswords && <Link href="/forgot-password">Password forgotten</Link>}
        <Link href={`/login${search ? `?${search}` : ""}`}>Begin again</Link>
      </Form>
    </AccountPage>
  );
}
