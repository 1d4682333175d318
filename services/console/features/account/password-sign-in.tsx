import { useSignal } from "@preact/signals";
import { Link, useLocation } from "wouter-preact";
import { signIn } from "../../api/session.ts";
import type { Settings } from "../../api/settings.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { nextAddress } from "../../ui/call/next-address.ts";
import { bound } from "../../ui/form/bound.ts";
import { Field } from "../../ui/form/field.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useSubmit } from "../../ui/form/use-submit.ts";

type PasswordSignInProps = {
  /** Query of the page for signing in. */
  readonly search: string;
  /** Null until they are known. */
  readonly settings: Settings | null;
};

/** Signs in by address and password, and leads on to where the person wanted to go. */
export function PasswordSignIn({ search, settings }: PasswordSignInProps) {
  const email = useSignal("");
  const password = useSignal("");
  const [, navigate] = useLocation();
  const { submit, error, isBusy } = useSubmit(async () => {
    await signIn(email.value, password.value);
    navigate(nextAddress(search));
  });
  return (
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
        {settings?.signIn.passwords !== false && (
          <Link href="/forgot-password">Password forgotten</Link>
        )}
        {settings?.registration !== "closed" && (
          <Link href={`/register${search ? `?${search}` : ""}`}>Register</Link>
        )}
      </SubmitRow>
    </form>
  );
}
