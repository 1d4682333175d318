import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearch } from "wouter-preact";
import { joinInstitute, nextAddress } from "../../api/session.ts";
import { useSettings } from "../../api/settings.ts";
import { AccountPage } from "../../features/account/account-page.tsx";
import { givenOutInWords } from "../../features/account/given-out.ts";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { bound, Field } from "../../ui/form/field.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";

/** Where the service leads whom the institute has confirmed, and whose address has an account already. */
export function Page() {
  const password = useSignal("");
  const search = useSearch();
  const hasPasswords = useSettings()?.signIn.passwords ?? false;
  const [, navigate] = useLocation();
  const { submit, error, isBusy } = useSubmit(async () => {
    const words = givenOutInWords(await joinInstitute(password.value));
    if (words !== "") notice.done(words);
    navigate(nextAddress(search), { replace: true });
  });
  return (
    <AccountPage title="Join your account">
      <p>
        Your email address has an account here already. Type its password once, and your institute's
        account signs in to it from now on.
      </p>
      <form onSubmit={submit}>
        <Field
          label="Password of your account here"
          type="password"
          autocomplete="current-password"
          required
          {...bound(password)}
        />
        <ErrorNotice error={error.value} />
        <SubmitRow text="Join and sign in" isDisabled={isBusy.value}>
          {hasPasswords && <Link href="/forgot-password">Password forgotten</Link>}
          <Link href={`/login${search ? `?${search}` : ""}`}>Begin again</Link>
        </SubmitRow>
      </form>
    </AccountPage>
  );
}
