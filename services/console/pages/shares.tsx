import { useSignal } from "@preact/signals";
import { type AnswerOf, type Catalogue, call } from "../api/call.ts";
import { ErrorNotice, useWrite } from "../ui/call.tsx";
import { CataloguePage, useMayChange } from "../ui/catalogue-page.tsx";
import { ask } from "../ui/form/ask.ts";
import { tellLost } from "../ui/form/attempts.ts";
import { number, optional, text } from "../ui/form/codecs.ts";
import { CopyField } from "../ui/form/copy.tsx";
import { input, useForm } from "../ui/form/form.tsx";
import { Button, type PageProps, Panel } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

type Share = AnswerOf<"GET /api/catalogues/:id/shares">["shares"][number];

export function Page({ params: { id = "" } }: PageProps) {
  return (
    <CataloguePage
      id={id}
      title="Shares"
      intro="A share is a secret address: whoever has it reads this catalogue and nothing else, without an account, until it ends."
      read={(signal) => call("GET /api/catalogues/:id/shares", { params: { id } }, { signal })}
    >
      {(catalogue, found, reload) => (
        <Shares catalogue={catalogue} shares={found?.shares ?? []} reload={reload} />
      )}
    </CataloguePage>
  );
}

type SharesProps = {
  readonly catalogue: Catalogue;
  readonly shares: readonly Share[];
  readonly reload: () => void;
};

function Shares({ catalogue, shares, reload }: SharesProps) {
  const { id } = catalogue;
  const mayChange = useMayChange(catalogue);
  const end = ({ id: shareId, label }: Share) =>
    ask({
      title: "End the share",
      action: "End it",
      isDanger: true,
      text: `${label ? `“${label}”` : "The share"} stops working at once for everybody who has the address.`,
      run: (options) =>
        call("DELETE /api/catalogues/:id/shares/:shareId", { params: { id, shareId } }, options),
      done: "The share has ended.",
      after: reload,
    });
  return (
    <>
      {mayChange && <NewShare catalogue={catalogue} reload={reload} />}
      <Table
        label="Shares"
        kind="folds"
        rows={shares}
        empty={{ title: "This catalogue is not shared." }}
        columns={[
          ["Label", ({ label }) => label ?? <span class="muted">no label</span>, "words"],
          ["Made", (share) => <Moment at={share.created_at} />],
          [
            "Ends, UTC",
            ({ expires_at: at }) => (at ? <UtcTime at={at} length={16} /> : "never"),
            "nowrap",
          ],
          ["Last used", (share) => <Moment at={share.last_used} unknown="never" />],
        ]}
        actions={mayChange && ((share) => [["End", "", () => end(share)]])}
      />
      {mayChange && <Parts catalogue={catalogue} reload={reload} />}
    </>
  );
}

const MANIFEST = "parts/manifest.json";

type ChangerProps = { readonly catalogue: Catalogue; readonly reload: () => void };

function Parts({ catalogue: { id, parts }, reload }: ChangerProps) {
  const { isBusy, write } = useWrite(parts);
  const change = () => {
    const input = { params: { id }, body: { parts: !parts } };
    write({
      what: input,
      send: (options) => call("PATCH /api/catalogues/:id", input, options),
      done: parts ? "The files are being removed." : "The files are being written.",
      reload,
    });
  };
  return (
    <Panel title="Files for engines">
      <p>
        DuckDB, pandas, polars or Spark read every version from Parquet files, by a share or an
        access token. The service keeps the files up within a minute.
      </p>
      {parts && (
        <CopyField
          label="List of the files"
          value={`${location.origin}/api/catalogues/${id}/${MANIFEST}`}
        />
      )}
      <div class="row">
        <Button
          disabled={isBusy.value}
          onClick={change}
          text={parts ? "Remove the files" : "Keep files for engines"}
        />
      </div>
    </Panel>
  );
}

const FIELDS = {
  label: input({ label: "Label", placeholder: "Whom it is for" }, optional(text)),
  expiresInDays: input(
    {
      label: "Ends after",
      unit: "days",
      inputMode: "numeric",
      placeholder: "never",
      start: "30",
    },
    optional(number),
  ),
};

/** Makes a share, and shows its address once. */
function NewShare({ catalogue: { id, parts }, reload }: ChangerProps) {
  const url = useSignal<string | null>(null);
  const { names, field, set, submit, failure, isBusy } = useForm({
    fields: FIELDS,
    run: (options, body) =>
      call("POST /api/catalogues/:id/shares", { params: { id }, body }, options).catch(
        tellLost(
          "The share was made, but the answer with its address was lost. End it in the list below, and make another.",
          reload,
        ),
      ),
    after: ({ share }) => {
      url.value = share.url;
      set({ label: "" });
      reload();
    },
  });
  return (
    <Panel title="New share">
      <form class="list-filters" onSubmit={submit}>
        {names.map(field)}
        <button type="submit" class="primary" disabled={isBusy.value}>
          Make the share
        </button>
      </form>
      <ErrorNotice error={failure} />
      {url.value !== null && (
        <>
          <div class="notice warning" role="status">
            <span>Copy what you need now: the address is shown only this once.</span>
          </div>
          {(parts ? [...WAYS, FOR_ENGINES] : WAYS).map(([label, wayOf]) => (
            <CopyField key={label} label={label} value={wayOf(url.value ?? "")} />
          ))}
        </>
      )}
    </Panel>
  );
}

type Way = readonly [label: string, wayOf: (url: string) => string];

const FOR_ENGINES: Way = ["For DuckDB and others: the files", (url) => `${url}/${MANIFEST}`];
const WAYS: readonly Way[] = [
  ["Page, for a browser", (url) => url],
  ["Events as a file (CSV)", (url) => `${url}/export?format=csv`],
  ["Events as JSON", (url) => `${url}/events`],
  ["For ObsPy", (url) => `Client("${url}")`],
  ["FDSN event service", (url) => `${url}/fdsnws/event/1/query`],
];
