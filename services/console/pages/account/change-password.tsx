import { useSignal } from "@preact/signals";
import { Link, useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { notice } from "../../ui/notices.tsx";
import { useAttempts } from "../../ui/use-attempts.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { isAtField, problemAt } from "./account-problem.ts";
import { NewPasswordFields, useNewPassword } from "./new-password.tsx";

const FIELDS = ["current", "password", "repeated"] as const;

export function Page() {
  const current = useSignal("");
  const password = useNewPassword();
  const [, navigate] = useLocation();
  const attempt = useAttempts();
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = { currentPassword: current.value, newPassword: password.checked() };
    await attempt(body, (idempotencyKey) =>
      call("POST /api/auth/change-password", { body }, { idempotencyKey }),
    );
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
          problem={problemAt(error.value, "current")}
          value={current.value}
          onValue={(value) => {
            current.value = value;
          }}
        />
        <NewPasswordFields password={password} error={error.value} />
        {error.value !== null && !isAtField(error.value, FIELDS) && (
          <ErrorNotice error={error.value} />
        )}
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
