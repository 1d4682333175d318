import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../../api/call.ts";
import { nextAddress, signIn } from "../../api/session.ts";
import { useSettings } from "../../api/settings.ts";
import {
  NameAndEmail,
  NewPasswordFields,
  useNewPassword,
} from "../../features/account/account-fields.tsx";
import { AccountPage } from "../../features/account/account-page.tsx";
import { errorBeside } from "../../features/account/account-problem.ts";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";

const FIELDS = ["name", "email", "password", "repeated"] as const;

export function Page() {
  const settings = useSettings();
  const registration = settings?.registration;
  if (registration === "closed")
    return <Closed isAtInstitute={settings?.signIn.institute === true} />;
  return <Register awaitsApproval={registration === "approval"} />;
}

function Closed({ isAtInstitute }: { readonly isAtInstitute: boolean }) {
  return (
    <AccountPage title="Register">
      <p>
        Nobody registers here:{" "}
        {isAtInstitute
          ? "you have an account as soon as you sign in with your institute's."
          : "ask an administrator for an account."}{" "}
        <Link href="/login">Sign in</Link>
      </p>
    </AccountPage>
  );
}

function Register({ awaitsApproval }: { readonly awaitsApproval: boolean }) {
  const typed = useSignal({ name: "", email: "" });
  const registered = useSignal(false);
  const password = useNewPassword();
  const search = useSearch();
  const [, navigate] = useLocation();
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = { ...typed.value, password: password.checked() };
    const { user } = await call("POST /api/auth/register", { body });
    if (!user.is_active) {
      registered.value = true;
      return;
    }
    await signIn(body.email, body.password);
    navigate(nextAddress(search));
  });
  if (registered.value) return <AwaitsApproval />;
  return (
    <AccountPage title="Register">
      <p class="muted">
        {awaitsApproval && "You can sign in once an administrator has activated your account. "}
        With an account you read and export catalogues that are not restricted to others; you can
        ask for further rights in your profile.
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

function AwaitsApproval() {
  return (
    <AccountPage title="Registered">
      <p role="status">
        The administrators have been told. You can <Link href="/login">sign in</Link> once one of
        them has activated your account.
      </p>
    </AccountPage>
  );
}
