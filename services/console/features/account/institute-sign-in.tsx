import { SIGN_IN_REFUSALS } from "#contracts/errors.ts";
import { nextAddress } from "../../ui/call/next-address.ts";

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
