import { Link, useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { has, user } from "../../api/session.ts";
import { useAction } from "../../ui/call/use-action.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { Empty } from "../../ui/states.tsx";

/** The ways to a new catalogue. */
export function NewCatalogue() {
  const [, navigate] = useLocation();
  const { isBusy, run } = useAction();
  const attempt = useAttempts();
  const loadSample = () =>
    run(async () => {
      const { catalogueId } = await attempt(null, (idempotencyKey) =>
        call("POST /api/sample", {}, { idempotencyKey }),
      );
      navigate(`/catalogues/${catalogueId}`);
    });
  return (
    <nav class="row end" aria-label="New catalogue">
      <span class="muted">New catalogue from</span>
      <Link class="button" href="/upload">
        a file
      </Link>
      <Link class="button" href="/import">
        an agency
      </Link>
      <Link class="button" href="/merge">
        other catalogues
      </Link>
      <button type="button" disabled={isBusy.value} onClick={loadSample}>
        the sample
      </button>
    </nav>
  );
}

/** Stands for an empty list: what to do next, as one's role allows. */
export function NoCatalogue({ search }: { readonly search: string }) {
  return (
    <>
      {search ? (
        <Empty title={`No catalogue has “${search}” in its name.`}>
          <Link class="button" href="/catalogues">
            Show all
          </Link>
        </Empty>
      ) : (
        <Empty title="There are no catalogues yet." text={<NextStep />} />
      )}
    </>
  );
}

function NextStep() {
  if (has("editor")) return <>Upload a file, or import from an agency.</>;
  if (user.value) {
    return (
      <>
        Editors can create some; you can ask for this role in your{" "}
        <Link href="/profile">profile</Link>.
      </>
    );
  }
  return (
    <>
      <Link href="/login">Sign in</Link> to create one.
    </>
  );
}
