import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearchParams } from "wouter-preact";
import { call, statusOf } from "../api/call.ts";
import { readSession } from "../api/session.ts";
import { checkedPassword, EMAIL, NAME, newPasswordFields } from "../features/account/account.tsx";
import { ErrorNotice } from "../ui/call.tsx";
import { Form } from "../ui/form/form.tsx";
import { useSubmit } from "../ui/form/submit.tsx";
import { ButtonLink, Empty, Frame, Panel } from "../ui/page.tsx";

/** Where the link of the first start leads; its code is the right to use the page. */
export function Page() {
  const [query] = useSearchParams();
  const code = query.get("code");
  return (
    <Frame title="Set up this service">
      {code === null ? (
        <Empty
          title="This address has no code."
          text="Open the whole link that the service printed when it started. Where there is an administrator already, nothing is left to set up."
        >
          <ButtonLink href="/" text="All catalogues" />
          <ButtonLink class="quiet" href="/login" text="Sign in" />
        </Empty>
      ) : (
        <div class="columns even">
          <Administrator code={code} />
          <Sample code={code} />
        </div>
      )}
    </Frame>
  );
}

type CodeProps = { readonly code: string };

/** Both steps stay: the sample can be seen before there is an administrator. */
function Sample({ code }: CodeProps) {
  const loaded = useSignal<string | null>(null);
  const { submit, error, isBusy } = useSubmit(async () => {
    const { catalogueId } = await call("POST /api/setup/sample", { body: { code } });
    loaded.value = catalogueId;
  });
  return (
    <Panel title="See earthquakes at once">
      <p>
        The sample is a small made-up catalogue for trying things out. It is public, and you can
        delete it at any time.
      </p>
      {loaded.value === null ? (
        <form onSubmit={submit}>
          <ErrorNotice error={error.value} />
          {whyRefused(error.value)}
          <div class="row">
            <button type="submit" disabled={isBusy.value}>
              {isBusy.value ? "Loading the sample…" : "Load the sample"}
            </button>
          </div>
        </form>
      ) : (
        <div class="notice done" role="status">
          <span>
            The sample is loaded. <Link href={`/catalogues/${loaded.value}`}>Open the sample</Link>
          </span>
        </div>
      )}
    </Panel>
  );
}

const FIELDS = {
  name: NAME,
  email: EMAIL,
  ...newPasswordFields("Password", "At least 12 characters here: administrators may do everything"),
};

function Administrator({ code }: CodeProps) {
  const [, navigate] = useLocation();
  return (
    <Panel title="Make the first administrator">
      <p>Administrators decide what everybody else may do. After this, the link no longer works.</p>
      <Form
        fields={FIELDS}
        action="Make the administrator"
        run={async (_, { name, email, ...typed }) => {
          const body = { name, email, code, password: checkedPassword(typed) };
          await call("POST /api/setup/administrator", { body });
          await readSession();
        }}
        done="You are the first administrator, and signed in."
        after={() => navigate("/")}
        below={whyRefused}
      />
    </Panel>
  );
}

/** What a refusal means here, beside the service's own sentence. */
function whyRefused(error: unknown) {
  switch (statusOf(error)) {
    case 403:
      return <p>Each start of the service makes a new link: open the one that it printed last.</p>;
    case 404:
      return (
        <p>
          The service is set up. <Link href="/login">Sign in</Link>, or see its{" "}
          <Link href="/">catalogues</Link>.
        </p>
      );
    case 409:
      return (
        <p>
          It is among the <Link href="/">catalogues</Link>.
        </p>
      );
    default:
      return null;
  }
}
