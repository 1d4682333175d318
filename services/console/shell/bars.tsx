import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isReachable, sessionEnded } from "../api/call.ts";
import { readSession, sessionFailure, signIn, signOut, user } from "../api/session.ts";
import { ErrorNotice, sentenceOf, useSecondsLeft } from "../ui/call.tsx";
import { Dialog } from "../ui/form/dialog.tsx";
import { bound, Field } from "../ui/form/fields.tsx";
import { SubmitRow, useSubmit } from "../ui/form/submit.tsx";
import { Button } from "../ui/page.tsx";

const RETRY_MS = 5_000;

/** Tells that the service cannot be reached, and asks it again until it answers. */
export function ConnectionBar() {
  useEffect(() => {
    if (isReachable.value) return;
    const ask = () => void readSession().catch(() => undefined);
    const timer = setInterval(ask, RETRY_MS);
    addEventListener("online", ask);
    return () => {
      clearInterval(timer);
      removeEventListener("online", ask);
    };
  }, [isReachable.value]);
  if (isReachable.value) return null;
  return (
    <div class="bar warning" role="alert">
      The service cannot be reached. What is shown may be old; it is asked again every few seconds.
    </div>
  );
}

/** Tells that the service has not said who is signed in, and asks it again when it takes an answer. */
export function SessionBar() {
  const failure = user.value === undefined && isReachable.value ? sessionFailure.value : null;
  const left = useSecondsLeft(failure);
  useEffect(() => {
    if (failure === null || left > 0) return;
    const timer = setTimeout(() => void readSession().catch(() => undefined), RETRY_MS);
    return () => clearTimeout(timer);
  }, [failure, left > 0]);
  if (failure === null) return null;
  return (
    <div class="bar warning">
      <span role="alert">It is not known yet whether you are signed in: {sentenceOf(failure)}</span>{" "}
      {left > 0 ? `The service is asked again in ${left} s.` : "The service is asked again."}
    </div>
  );
}

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
          <Button onClick={leave} text="Sign out" />
        </SubmitRow>
      </form>
    </Dialog>
  );
}
