import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../api/call.ts";
import { CallError } from "../api/call-error.ts";
import type { AnswerOf } from "../api/operation-types.ts";
import type { PageProps } from "../routes.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Field } from "../ui/field.tsx";
import { minute } from "../ui/format.ts";
import { HiddenHead } from "../ui/hidden-head.tsx";
import { Moment } from "../ui/moment.tsx";
import { notice } from "../ui/notices.tsx";
import { ScrollArea } from "../ui/scroll-area.tsx";
import { useAttempts } from "../ui/use-attempts.ts";
import { useCall } from "../ui/use-call.ts";
import { useSubmit } from "../ui/use-submit.ts";
import { Waiting } from "../ui/waiting.tsx";

type Share = AnswerOf<"GET /api/catalogues/:id/shares">["shares"][number];
type Found = { readonly name: string; readonly shares: readonly Share[] };

export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall<Found>(id, async (signal) => {
    const [{ name }, { shares }] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      call("GET /api/catalogues/:id/shares", { params: { id } }, { signal }),
    ]);
    return { name, shares };
  });
  return (
    <section class="page">
      <div class="page-head">
        <h1>Shares{answer.value && ` of ${answer.value.name}`}</h1>
        <Link class="end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <p class="muted">
        A share is a secret address: whoever has it reads this catalogue and nothing else, without
        an account, until it ends.
      </p>
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {answer.value === null ? (
        error.value === null && <Waiting />
      ) : (
        <>
          <NewShare catalogue={id} reload={reload} />
          <Shares catalogue={id} shares={answer.value.shares} reload={reload} />
        </>
      )}
    </section>
  );
}

type NewShareProps = { readonly catalogue: string; readonly reload: () => void };

function NewShare({ catalogue, reload }: NewShareProps) {
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
  return (
    <section class="panel">
      <h2>New share</h2>
      <form class="list-filters" onSubmit={submit}>
        <Field
          label="Label"
          placeholder="Whom it is for"
          value={label.value}
          problem={problemOf("label")}
          onValue={(value) => {
            label.value = value;
          }}
        />
        <Field
          label="Ends after"
          unit="days"
          inputMode="numeric"
          placeholder="never"
          value={days.value}
          problem={problemOf("expiresInDays")}
          onValue={(value) => {
            days.value = value;
          }}
        />
        <button type="submit" class="primary" disabled={isBusy.value}>
          Make the share
        </button>
      </form>
      {error.value !== null && !problemOf("label") && !problemOf("expiresInDays") && (
        <ErrorNotice error={error.value} />
      )}
      {url.value !== null && <Made url={url.value} />}
    </section>
  );
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
      <CopyField label="Events as a file (CSV)" value={`${url}/export?format=csv`} />
      <CopyField label="Events as JSON" value={`${url}/events`} />
      <CopyField label="For ObsPy" value={`Client("${url}")`} />
      <CopyField label="FDSN event service" value={`${url}/fdsnws/event/1/query`} />
    </>
  );
}

type SharesProps = NewShareProps & { readonly shares: readonly Share[] };

function Shares({ catalogue, shares, reload }: SharesProps) {
  const ended = useSignal<Share | null>(null);
  if (shares.length === 0) {
    return (
      <div class="empty">
        <p>This catalogue is not shared.</p>
      </div>
    );
  }
  const end = async (idempotencyKey: string) => {
    const params = { id: catalogue, shareId: ended.value?.id ?? "" };
    await call("DELETE /api/catalogues/:id/shares/:shareId", { params }, { idempotencyKey });
    notice.done("The share has ended.");
    reload();
  };
  return (
    <>
      <ScrollArea label="Shares">
        <table>
          <thead>
            <tr>
              <th scope="col">Label</th>
              <th scope="col">Made</th>
              <th scope="col">Ends, UTC</th>
              <th scope="col">Last used</th>
              <HiddenHead text="Actions" />
            </tr>
          </thead>
          <tbody>
            {shares.map((share) => (
              <tr key={share.id}>
                <td class="words">{share.label ?? <span class="muted">no label</span>}</td>
                <td>
                  <Moment at={share.created_at} />
                </td>
                <td class="nowrap">{share.expires_at ? minute(share.expires_at) : "never"}</td>
                <td>
                  <Moment at={share.last_used} unknown="never" />
                </td>
                <td class="number">
                  <button
                    type="button"
                    onClick={() => {
                      ended.value = share;
                    }}
                  >
                    End…
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {ended.value && (
        <ConfirmDialog
          title="End the share"
          action="End it"
          run={end}
          onClose={() => {
            ended.value = null;
          }}
        >
          <p>
            {ended.value.label ? `“${ended.value.label}”` : "The share"} stops working at once for
            everybody who has the address.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
