import { useSignal } from "@preact/signals";
import { Link, useLocation } from "wouter-preact";
import { SIGN_IN_REFUSALS } from "#contracts/errors.ts";
import { nextAddress, signIn } from "../../api/session.ts";
import type { Settings } from "../../api/settings.ts";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { bound, Field } from "../../ui/form/field.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";

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

type InstituteSignInProps = {
  /** Query of the page for signing in. */
  readonly search: string;
  /** Whether there is another way. */
  readonly isOneOfTwo: boolean;
};

/** Leads to the institute, which leads back to where the person wanted to go. */
export function InstituteSignIn({ search, isOneOfTwo }: InstituteSignInProps) {
  const next = nextAddress(search);
  const query = next === "/" ? "" : `?next=${encodeURIComponent(next)}`;
  return (
    <div class="row">
      <a class={isOneOfTwo ? "button" : "button primary"} href={`/api/auth/oidc${query}`}>
        Sign in with your institute's account
      </a>
    </div>
  );
}

/** Why the institute's account did not sign in, where the service has led back because of that. */
export function InstituteRefusal({ search }: { readonly search: string }) {
  const reason = new URLSearchParams(search).get("refused") ?? "";
  if (!isRefusal(reason)) return null;
  return (
    <div class="notice error">
      <span role="alert">{SIGN_IN_REFUSALS[reason].text}.</span>
    </div>
  );
}

function isRefusal(reason: string): reason is keyof typeof SIGN_IN_REFUSALS {
  return Object.hasOwn(SIGN_IN_REFUSALS, reason);
}
