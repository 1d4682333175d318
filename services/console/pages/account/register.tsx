import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../../api/call.ts";
import { signIn } from "../../api/session.ts";
import { AccountPage } from "../../features/account/account-page.tsx";
import { errorBeside } from "../../features/account/account-problem.ts";
import { NameAndEmail } from "../../features/account/name-and-email.tsx";
import { NewPasswordFields, useNewPassword } from "../../features/account/new-password.tsx";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { nextAddress } from "../../ui/call/next-address.ts";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useSubmit } from "../../ui/form/use-submit.ts";

const FIELDS = ["name", "email", "password", "repeated"] as const;

export function Page() {
  const typed = useSignal({ name: "", email: "" });
  const password = useNewPassword();
  const search = useSearch();
  const [, navigate] = useLocation();
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = { ...typed.value, password: password.checked() };
    await call("POST /api/auth/register", { body });
    await signIn(body.email, body.password);
    navigate(nextAddress(search));
  });
  return (
    <AccountPage title="Register">
      <p class="muted">
        With an account you see all catalogues and can export them; you can ask for further rights
        in your profile.
      </p>
      <form onSubmit={submit}>
        <NameAndEmail typed={typed} error={error.value} />
        <NewPasswordFields password={password} label="Password" error={error.value} />
        <ErrorNotice error={errorBeside(error.value, FIELDS)} />
        <SubmitRow text="Register" isDisabled={isBusy.value}>
          <Link href={`/login${search ? `?${search}` : ""}`}>Sign in instead</Link>
        </SubmitRow>
      </form>
    </AccountPage>
  );
}
