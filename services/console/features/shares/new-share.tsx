import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { bound } from "../../ui/form/bound.ts";
import { CopyField } from "../../ui/form/copy-field.tsx";
import { Field } from "../../ui/form/field.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";

/** Of which catalogue, and what follows a change of its shares. */
export type ShareProps = { readonly catalogue: string; readonly reload: () => void };

/** Makes a share, and shows its address once. */
export function NewShare({ catalogue, reload }: ShareProps) {
  const { label, days, url, submit, error, isBusy, problemOf } = useNewShare({ catalogue, reload });
  return (
    <section class="panel">
      <h2>New share</h2>
      <form class="list-filters" onSubmit={submit}>
        <Field
          label="Label"
          placeholder="Whom it is for"
          {...bound(label)}
          problem={problemOf("label")}
        />
        <Field
          label="Ends after"
          unit="days"
          inputMode="numeric"
          placeholder="never"
          {...bound(days)}
          problem={problemOf("expiresInDays")}
        />
        <button type="submit" class="primary" disabled={isBusy.value}>
          Make the share
        </button>
      </form>
      <ErrorNotice error={problemOf("label") || problemOf("expiresInDays") ? null : error.value} />
      {url.value !== null && <Made url={url.value} />}
    </section>
  );
}

function useNewShare({ catalogue, reload }: ShareProps) {
  const label = useSignal("");
  const days = useSignal("30");
  const url = useSignal<string | null>(null);
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = {
      ...(label.value.trim() && { label: label.value.trim() }),
      ...(days.value.trim() && { expiresInDays: Number(days.value) }),
    };
    const params = { id: catalogue };
    const { share } = await attempt(body, (idempotencyKey) =>
      call("POST /api/catalogues/:id/shares", { params, body }, { idempotencyKey }),
    ).catch(explainLost(reload));
    url.value = share.url;
    label.value = "";
    reload();
  });
  return { label, days, url, submit, error, isBusy, problemOf };
}

/**
 * The address of a share is in one answer alone: where that was lost, the next attempt finds the share
 * made, and its address gone.
 */
function explainLost(reload: () => void): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CallError) || error.status !== 409) throw error;
    reload();
    throw new Error(
      "The share was made, but the answer with its address was lost. End it in the list below, and make another.",
      { cause: error },
    );
  };
}

function Made({ url }: { readonly url: string }) {
  return (
    <>
      <div class="notice warning" role="status">
        <span>Copy what you need now: the address is shown only this once.</span>
      </div>
      <CopyField label="Page, for a browser" value={url} />
      <CopyField label="Events as a file (CSV)" value={`${url}/export?format=csv`} />
      <CopyField label="Events as JSON" value={`${url}/events`} />
      <CopyField label="For ObsPy" value={`Client("${url}")`} />
      <CopyField label="FDSN event service" value={`${url}/fdsnws/event/1/query`} />
    </>
  );
}
