import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../../api/call.ts";
import { readSession } from "../../api/session.ts";
import {
  AccountPage,
  checkedPassword,
  givenOutInWords,
  newPasswordFields,
} from "../../features/account/account.tsx";
import { notice } from "../../ui/call.tsx";
import { Form } from "../../ui/form/form.tsx";

const FIELDS = newPasswordFields();

/** Where the mail leads, with its token. */
export function Page() {
  const token = useSignal(new URLSearchParams(useSearch()).get("token") ?? "");
  return (
    <AccountPage title="Choose a new password">
      {token.value === "" ? (
        <p>
          This address is not complete: open the whole link of the mail, or{" "}
          <Link href="/forgot-password">ask for another</Link>.
        </p>
      ) : (
        <Choose token={token.value} />
      )}
    </AccountPage>
  );
}

function Choose({ token }: { readonly token: string }) {
  const told = useSignal("");
  const [, navigate] = useLocation();
  if (told.value !== "") {
    return (
      <p role="status">
        Your password is changed. {told.value} <Link href="/login">Sign in</Link>
      </p>
    );
  }
  return (
    <>
      <p class="muted">
        Wherever you are signed in, you will be signed out; access tokens of the account end.
      </p>
      <Form
        fields={FIELDS}
        action="Change the password"
        run={async (_, typed) => {
          const body = { token, newPassword: checkedPassword(typed) };
          const words = givenOutInWords(await call("POST /api/auth/reset-password", { body }));
          await readSession();
          return words;
        }}
        after={(words) => {
          told.value = words;
          if (words !== "") return;
          notice.done("Your password is changed. Sign in with it.");
          navigate("/login", { replace: true });
        }}
        below={(failure) =>
          failure !== null && (
            <p>
              A link works once and for an hour.{" "}
              <Link href="/forgot-password">Ask for another</Link>
            </p>
          )
        }
      />
    </>
  );
}
