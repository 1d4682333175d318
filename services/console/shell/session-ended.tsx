import { useSignal } from "@preact/signals";
import { sessionEnded } from "../api/connection.ts";
import { signIn, signOut, user } from "../api/session.ts";
import { ErrorNotice } from "../ui/call/error-notice.tsx";
import { bound } from "../ui/form/bound.ts";
import { Dialog } from "../ui/form/dialog.tsx";
import { Field } from "../ui/form/field.tsx";
import { SubmitRow } from "../ui/form/submit-row.tsx";
import { useSubmit } from "../ui/form/use-submit.ts";

/** Asks for the password again over the page, so that what was typed there stays. */
export function SessionEnded() {
  return sessionEnded.value && user.value ? <SignInAgain email={user.value.email} /> : null;
}

function SignInAgain({ email }: { readonly email: string }) {
  const password = useSignal("");
  const { submit, isBusy, error } = useSubmit(() => signIn(email, password.value));
  const leave = () => {
    sessionEnded.value = false;
    signOut().catch(() => {
      user.value = null;
    });
  };
  return (
    <Dialog title="Your session has ended" onClose={leave}>
      <form onSubmit={submit}>
        <p>Sign in again as {email} and go on where you were.</p>
        <ErrorNotice error={error.value} />
        <Field
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          {...bound(password)}
        />
        <SubmitRow text="Sign in" isDisabled={isBusy.value}>
          <button type="button" onClick={leave}>
            Sign out
          </button>
        </SubmitRow>
      </form>
    </Dialog>
  );
}
