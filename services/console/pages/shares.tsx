import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { CallError, call } from "../api/call.ts";
import type { AnswerOf, Catalogue } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import { Answered } from "../ui/call/answered.tsx";
import { ErrorNotice, notice } from "../ui/call/notices.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { useMayChange } from "../ui/call/use-may-change.ts";
import { useAttempts } from "../ui/form/attempts.ts";
import { ConfirmDialog } from "../ui/form/confirm-dialog.tsx";
import { CopyField } from "../ui/form/copy.tsx";
import { bound, Field } from "../ui/form/field.tsx";
import { useSubmit } from "../ui/form/submit.tsx";
import { Empty, FailedPage } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

type Share = AnswerOf<"GET /api/catalogues/:id/shares">["shares"][number];
type Found = { readonly catalogue: Catalogue; readonly shares: readonly Share[] };

export function Page({ params: { id = "" } }: PageProps) {
  const loaded = useCall<Found>(id, async (signal) => {
    const [catalogue, { shares }] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      call("GET /api/catalogues/:id/shares", { params: { id } }, { signal }),
    ]);
    return { catalogue, shares };
  });
  const { answer, error, reload } = loaded;
  if (answer === null && error !== null) {
    return <FailedPage title="Shares" error={error} retry={reload} />;
  }
  return (
    <section class="page">
      <div class="page-head">
        <h1>Shares{answer && ` of ${answer.catalogue.name}`}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <p class="muted">
        A share is a secret address: whoever has it reads this catalogue and nothing else, without
        an account, until it ends.
      </p>
      <Answered call={loaded}>{(found) => <Shares {...found} reload={reload} />}</Answered>
    </section>
  );
}

type SharesProps = Found & Pick<ShareProps, "reload">;

function Shares({ catalogue, shares, reload }: SharesProps) {
  const { id } = catalogue;
  const ended = useSignal<Share | null>(null);
  const mayChange = useMayChange(catalogue);
  const made = mayChange && <NewShare catalogue={id} reload={reload} />;
  if (shares.length === 0) {
    return (
      <>
        {made}
        <Empty title="This catalogue is not shared." />
      </>
    );
  }
  return (
    <>
      {made}
      <Table
        label="Shares"
        kind="folds"
        columns={["Label", "Made", "Ends, UTC", "Last used", mayChange && { hidden: "Actions" }]}
      >
        {shares.map((share) => (
          <ShareRow
            key={share.id}
            share={share}
            onEnd={mayChange ? () => (ended.value = share) : null}
          />
        ))}
      </Table>
      {ended.value && (
        <EndShare
          catalogue={id}
          share={ended.value}
          reload={reload}
          onClose={() => (ended.value = null)}
        />
      )}
    </>
  );
}

type ShareRowProps = { readonly share: Share; readonly onEnd: (() => void) | null };

function ShareRow({ share, onEnd }: ShareRowProps) {
  return (
    <tr>
      <td class="words">{share.label ?? <span class="muted">no label</span>}</td>
      <td>
        <Moment at={share.created_at} />
      </td>
      <td class="nowrap">
        {share.expires_at ? <UtcTime at={share.expires_at} length={16} /> : "never"}
      </td>
      <td>
        <Moment at={share.last_used} unknown="never" />
      </td>
      {onEnd && (
        <td class="number">
          <button type="button" onClick={onEnd}>
            End…
          </button>
        </td>
      )}
    </tr>
  );
}

type EndShareProps = ShareProps & { readonly share: Share; readonly onClose: () => void };

function EndShare({ catalogue, share, reload, onClose }: EndShareProps) {
  const end = async (idempotencyKey: string) => {
    const params = { id: catalogue, shareId: share.id };
    await call("DELETE /api/catalogues/:id/shares/:shareId", { params }, { idempotencyKey });
    notice.done("The share has ended.");
    reload();
  };
  return (
    <ConfirmDialog title="End the share" action="End it" isDanger run={end} onClose={onClose}>
      <p>
        {share.label ? `“${share.label}”` : "The share"} stops working at once for everybody who has
        the address.
      </p>
    </ConfirmDialog>
  );
}

/** Of which catalogue, and what follows a change of its shares. */
type ShareProps = { readonly catalogue: string; readonly reload: () => void };

/** Makes a share, and shows its address once. */
function NewShare({ catalogue, reload }: ShareProps) {
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
