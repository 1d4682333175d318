import { useSignal } from "@preact/signals";
import { Link, useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { NewPasswordFields, useNewPassword } from "../../features/account/account-fields.tsx";
import { AccountPage } from "../../features/account/account-page.tsx";
import { errorBeside, problemAt } from "../../features/account/account-problem.ts";
import { givenOutInWords } from "../../features/account/given-out.ts";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { bound, Field } from "../../ui/form/field.tsx";
import { Checkbox } from "../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";

const FIELDS = ["current", "password", "repeated"] as const;

export function Page() {
  const current = useSignal("");
  const password = useNewPassword();
  const endTokens = useSignal(false);
  const [, navigate] = useLocation();
  const attempt = useAttempts();
  const { submit, error, isBusy } = useSubmit(async () => {
    const newPassword = password.checked();
    const body = { currentPassword: current.value, newPassword, endTokens: endTokens.value };
    const answer = await attempt(body, (idempotencyKey) =>
      call("POST /api/auth/change-password", { body }, { idempotencyKey }),
    );
    notice.done(`Your password is changed. ${givenOutInWords(answer)}`);
    navigate("/profile");
  });
  return (
    <AccountPage title="Change your password">
      <p class="muted">You stay signed in here; everywhere else you will be signed out.</p>
      <form onSubmit={submit}>
        <Field
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          problem={problemAt(error.value, "current")}
          {...bound(current)}
        />
        <NewPasswordFields password={password} error={error.value} />
        <Checkbox checked={endTokens.value} onChecked={(is) => (endTokens.value = is)}>
          End my access tokens too
        </Checkbox>
        <ErrorNotice error={errorBeside(error.value, FIELDS)} />
        <SubmitRow text="Change the password" isDisabled={isBusy.value}>
          <Link href="/profile">Back to the profile</Link>
        </SubmitRow>
      </form>
    </AccountPage>
  );
}
