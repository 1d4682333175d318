import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { AccountPage, EMAIL } from "../../features/account/account.tsx";
import { Form } from "../../ui/form/form.tsx";

const FIELDS = { email: EMAIL };

export function Page() {
  const answer = useSignal<string | null>(null);
  return (
    <AccountPage title="Password forgotten">
      {answer.value === null ? (
        <>
          <p class="muted">
            You get a link by mail. It lets you choose a new password and works for an hour.
          </p>
          <Form
            fields={FIELDS}
            action="Send the link"
            run={(_, body) => call("POST /api/auth/forgot-password", { body })}
            after={({ message }) => {
              answer.value = message;
            }}
          >
            <Link href="/login">Sign in</Link>
          </Form>
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
