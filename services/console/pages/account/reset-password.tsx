import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../../api/call.ts";
import { readSession } from "../../api/session.ts";
import { NewPasswordFields, useNewPassword } from "../../features/account/account-fields.tsx";
import { AccountPage } from "../../features/account/account-page.tsx";
import { errorBeside } from "../../features/account/account-problem.ts";
import { givenOutInWords } from "../../features/account/given-out.ts";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";

const FIELDS = ["password", "repeated"] as const;

/** Where the mail leads, with its token. */
export function Page() {
  const token = useSignal(new URLSearchParams(useSearch()).get("token") ?? "");
  return (
    <AccountPage title="Choose a new password">
      {token.value === "" ? <NoToken /> : <Choose token={token.value} />}
    </AccountPage>
  );
}

function NoToken() {
  return (
    <p>
      This address is not complete: open the whole link of the mail, or{" "}
      <Link href="/forgot-password">ask for another</Link>.
    </p>
  );
}

function Choose({ token }: { readonly token: string }) {
  const password = useNewPassword();
  const told = useSignal("");
  const [, navigate] = useLocation();
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = { token, newPassword: password.checked() };
    const words = givenOutInWords(await call("POST /api/auth/reset-password", { body }));
    await readSession();
    if (words === "") {
      notice.done("Your password is changed. Sign in with it.");
      navigate("/login", { replace: true });
    } else told.value = words;
  });
  if (told.value !== "") {
    return (
      <p role="status">
        Your password is changed. {told.value} <Link href="/login">Sign in</Link>
      </p>
    );
  }
  const refusal = errorBeside(error.value, FIELDS);
  return (
    <>
      <p class="muted">
        Wherever you are signed in, you will be signed out; access tokens of the account end.
      </p>
      <form onSubmit={submit}>
        <NewPasswordFields password={password} error={error.value} />
        <ErrorNotice error={refusal} />
        {refusal !== null && (
          <p>
            A link works once and for an hour. <Link href="/forgot-password">Ask for another</Link>
          </p>
        )}
        <SubmitRow text="Change the password" isDisabled={isBusy.value} />
      </form>
    </>
  );
}
