import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearch } from "wouter-preact";
import { signIn } from "../../api/session.ts";
import { useSettings } from "../../api/settings.ts";
import { AccountPage } from "../../features/account/account-page.tsx";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { nextAddress } from "../../ui/call/next-address.ts";
import { bound } from "../../ui/form/bound.ts";
import { Field } from "../../ui/form/field.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useSubmit } from "../../ui/form/use-submit.ts";

export function Page() {
  const email = useSignal("");
  const password = useSignal("");
  const search = useSearch();
  const isClosed = useSettings()?.registration === "closed";
  const [, navigate] = useLocation();
  const { submit, error, isBusy } = useSubmit(async () => {
    await signIn(email.value, password.value);
    navigate(nextAddress(search));
  });
  return (
    <AccountPage title="Sign in">
      <form onSubmit={submit}>
        <Field
          label="Email"
          type="email"
          name="email"
          autocomplete="username"
          required
          {...bound(email)}
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autocomplete="current-password"
          required
          {...bound(password)}
        />
        <ErrorNotice error={error.value} />
        <SubmitRow text="Sign in" isDisabled={isBusy.value}>
          <Link href="/forgot-password">Password forgotten</Link>
          {!isClosed && <Link href={`/register${search ? `?${search}` : ""}`}>Register</Link>}
        </SubmitRow>
      </form>
    </AccountPage>
  );
}
