import { useSignal } from "@preact/signals";
import { Link, useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { notice } from "../../ui/notices.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { NewPasswordFields, useNewPassword } from "./new-password.tsx";

export function Page() {
  const current = useSignal("");
  const password = useNewPassword();
  const [, navigate] = useLocation();
  const { submit, error, isBusy } = useSubmit(async () => {
    const problem = password.problem();
    if (problem !== null) throw new Error(problem);
    const body = { currentPassword: current.value, newPassword: password.typed.value };
    await call("POST /api/auth/change-password", { body });
    notice.done("Your password is changed.");
    navigate("/profile");
  });
  return (
    <section class="page narrow">
      <h1>Change your password</h1>
      <p class="muted">You stay signed in here; everywhere else you will be signed out.</p>
      <form onSubmit={submit}>
        <Field
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          value={current.value}
          onValue={(value) => {
            current.value = value;
          }}
        />
        <NewPasswordFields password={password} />
        {error.value !== null && <ErrorNotice error={error.value} />}
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy.value}>
            Change the password
          </button>
          <Link href="/profile">Back to the profile</Link>
        </div>
      </form>
    </section>
  );
}
