import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { AccountPage } from "../../features/account/account-page.tsx";
import { errorBeside, problemAt } from "../../features/account/account-problem.ts";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { bound, Field } from "../../ui/form/field.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";

export function Page() {
  const email = useSignal("");
  const answer = useSignal<string | null>(null);
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = { email: email.value };
    ({ message: answer.value } = await call("POST /api/auth/forgot-password", { body }));
  });
  return (
    <AccountPage title="Password forgotten">
      {answer.value === null ? (
        <>
          <p class="muted">
            You get a link by mail. It lets you choose a new password and works for an hour.
          </p>
          <form onSubmit={submit}>
            <Field
              label="Email"
              type="email"
              autocomplete="username"
              required
              problem={problemAt(error.value, "email")}
              {...bound(email)}
            />
            <ErrorNotice error={errorBeside(error.value, ["email"])} />
            <SubmitRow text="Send the link" isDisabled={isBusy.value}>
              <Link href="/login">Sign in</Link>
            </SubmitRow>
          </form>
        </>
      ) : (
        <>
          <p role="status">{answer.value}</p>
          <p>
            <Link href="/login">Sign in</Link>
          </p>
        </>
      )}
    </AccountPage>
  );
}
