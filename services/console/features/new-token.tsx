import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { includesScope, type Scope } from "#contracts/access-scopes.ts";
import { DAY_MS } from "#contracts/units.ts";
import { CallError, call } from "../api/call.ts";
import { has, mayUse, type Role } from "../api/session.ts";
import type { AnswerOf } from "../model/operation-types.ts";
import { ErrorNotice } from "../ui/call/notices.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { useAttempts } from "../ui/form/attempts.ts";
import {
  CatalogueChoice,
  CatalogueSearchField,
  useCatalogueSearch,
} from "../ui/form/catalogue-choice.tsx";
import { CopyField, CopyText } from "../ui/form/copy.tsx";
import { Dialog } from "../ui/form/dialog.tsx";
import { bound, Field } from "../ui/form/field.tsx";
import { Checkbox, Select } from "../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../ui/form/submit.tsx";
import { Waiting } from "../ui/states.tsx";
import { day } from "../ui/text/format.ts";

type NewTokenProps = {
  readonly onMade: (made: Made) => void;
  /** After a token was made whose secret is lost. */
  readonly reload: () => void;
  readonly onClose: () => void;
};

const FIELDS = ["name", "expiresInDays", "catalogues"] as const;

/** Asks what a token is for, and makes it. */
export function NewToken(props: NewTokenProps) {
  const { name, scope, isLimited, chosen, days, submit, error, isBusy, problemOf } =
    useNewToken(props);
  const offered = SCOPES_IN_WORDS.filter(({ role }) => mayUse(role));
  const isTold = FIELDS.some((field) => problemOf(field) !== undefined);
  return (
    <Dialog title="New access token" onClose={props.onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          placeholder="The program it is for"
          autocomplete="off"
          required
          {...bound(name)}
          problem={problemOf("name")}
        />
        <Select
          label="What it may do"
          {...bound(scope)}
          options={offered.map(({ scope, name }) => ({ value: scope, text: name }))}
          hint={`A program with it ${offered.find((one) => one.scope === scope.value)?.does}.`}
        />
        <Field
          label="Ends after"
          unit="days"
          inputMode="numeric"
          required
          {...bound(days)}
          problem={problemOf("expiresInDays")}
          hint={endOf(days.value)}
        />
        <Checkbox checked={isLimited.value} onChecked={(is) => (isLimited.value = is)}>
          Only for certain catalogues
        </Checkbox>
        {isLimited.value && (
          <CataloguesPart
            chosen={chosen.value}
            problem={problemOf("catalogues")}
            onChosen={(ids) => (chosen.value = ids)}
          />
        )}
        <ErrorNotice error={isTold ? null : error.value} />
        <SubmitRow
          text="Make the token"
          isDisabled={isBusy.value || (isLimited.value && chosen.value.length === 0)}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}

function useNewToken({ onMade, reload, onClose }: NewTokenProps) {
  const name = useSignal("");
  const scope = useSignal<Scope>("read");
  const isLimited = useSignal(false);
  const chosen = useSignal<readonly string[]>([]);
  const days = useSignal("90");
  const attempt = useAttempts();
  const submission = useSubmit(async () => {
    const body = {
      name: name.value.trim(),
      scopes: [scope.value],
      expiresInDays: Number(days.value),
      ...(isLimited.value && { catalogues: [...chosen.value] }),
    };
    const made = await attempt(body, (idempotencyKey) =>
      call("POST /api/tokens", { body }, { idempotencyKey }),
    ).catch(explainLost(reload));
    onMade(made);
    onClose();
  });
  return { name, scope, isLimited, chosen, days, ...submission };
}

/** The last day of a token that is made now; nothing where so many days cannot be. */
function endOf(days: string): string | undefined {
  const number = Number(days);
  const ends = new Date(Date.now() + number * DAY_MS);
  if (!Number.isInteger(number) || number < 1 || Number.isNaN(ends.getTime())) {
    return "A whole number of days, up to 366.";
  }
  return `On ${day(ends.toISOString())}. A year and a day (366) at most.`;
}

/**
 * A secret is in one answer alone: where that was lost, the next attempt finds the token made, and its
 * secret gone.
 */
function explainLost(reload: () => void): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CallError) || !wasCarriedOut(error)) throw error;
    reload();
    throw new Error(
      "The token was made, but the answer with its secret was lost. End it in the list, and make another.",
      { cause: error },
    );
  };
}

/** Whether an earlier attempt succeeded, of which the answer is not kept: its details say with what status. */
function wasCarriedOut({ status, body }: CallError): boolean {
  return status === 409 && typeof body === "object" && body !== null && "details" in body;
}

type CataloguesPartProps = {
  /** Ids. */
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
  readonly onChosen: (chosen: readonly string[]) => void;
};

/** The only catalogues that a token has. */
function CataloguesPart({ chosen, problem, onChosen }: CataloguesPartProps) {
  const search = useCatalogueSearch();
  const toggle = (id: string) =>
    onChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset class="stack">
      <legend class="visually-hidden">Its catalogues</legend>
      <CatalogueSearchField search={search} />
      {search.list === null && search.error === null && <Waiting />}
      <div class="choice-list">
        {search.list?.catalogues.map(({ id, name }) => (
          <Checkbox key={id} checked={chosen.includes(id)} onChecked={() => toggle(id)}>
            {name}
          </Checkbox>
        ))}
      </div>
      {problem !== undefined && <p class="problem">{problem}</p>}
    </fieldset>
  );
}

/** With what a program reads which catalogue. */
type TokenAccess = {
  /** The catalogue's address in the API. */
  readonly base: string;
  /** The token's id: the user name for Digest. */
  readonly id: string;
  readonly secret: string;
};

/** A program, and how it reads the catalogue. */
const CLIENTS = {
  curl: ({ base, secret }) =>
    `curl -H "Authorization: Bearer ${secret}" "${base}/events?limit=100"`,
  ObsPy: ({ base, id, secret }) =>
    [
      "from obspy.clients.fdsn import Client",
      "client = Client(",
      `    "${base}",`,
      `    user="${id}",`,
      `    password="${secret}",`,
      ")",
      "events = client.get_events(limit=100)",
    ].join("\n"),
  pandas: ({ base, secret }) =>
    [
      "import pandas",
      "events = pandas.read_csv(",
      `    "${base}/export?format=csv",`,
      `    storage_options={"Authorization": "Bearer ${secret}"},`,
      ")",
    ].join("\n"),
  GDAL: ({ base, secret }) =>
    [
      `GDAL_HTTP_AUTH=BASIC GDAL_HTTP_USERPWD="script:${secret}" \\`,
      `  ogrinfo -ro -so -al "${layerAddress(base)}"`,
    ].join("\n"),
} satisfies Readonly<Record<string, (access: TokenAccess) => string>>;

/** What GDAL and QGIS read as a layer. */
function layerAddress(base: string): string {
  return `${base}/export?format=geojson`;
}

export type Made = AnswerOf<"POST /api/tokens">;

type MadeTokenProps = { readonly made: Made; readonly onDone: () => void };

/** Programs that need more than lines. */
const QGIS = "QGIS";
const UNABLE = "libcomcat, pyCSEP, seisplotjs";

type Client = keyof typeof CLIENTS | typeof QGIS | typeof UNABLE;

const NAMES = [...(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[]), QGIS, UNABLE] as const;
const OPTIONS = NAMES.map((name) => ({ value: name, text: name }));

/** A token's secret, this once, and how programs read a catalogue with it. */
export function MadeToken({ made: { token, secret }, onDone }: MadeTokenProps) {
  const catalogue = useFirstCatalogue(token.catalogues?.[0]);
  const client = useSignal<Client>("curl");
  return (
    <section class="panel" aria-label={`The token “${token.name}”`}>
      <h2>The token “{token.name}”</h2>
      <div class="notice warning" role="status">
        <span>
          Copy the secret now: it is shown only this once. Keep it as you keep a password.
        </span>
      </div>
      <div class="columns even">
        <CopyField label="Secret" value={secret} />
        <CopyField label="The token's id: the user name for ObsPy" value={token.id} />
      </div>
      <h3>To read a catalogue with it</h3>
      <div class="list-filters">
        <Select label="Program" {...bound(client)} options={OPTIONS} />
        <CatalogueChoice {...bound(catalogue)} among={token.catalogues} />
      </div>
      {catalogue.value !== "" && (
        <HowTo
          client={client.value}
          catalogue={catalogue.value}
          access={{
            base: `${location.origin}/api/catalogues/${catalogue.value}`,
            id: token.id,
            secret,
          }}
        />
      )}
      <div class="row">
        <button type="button" class="primary" onClick={onDone}>
          I have copied the secret
        </button>
      </div>
    </section>
  );
}

/** The one that lines are about until another is chosen: the newest, where the token has all. */
function useFirstCatalogue(first: string | undefined) {
  const catalogue = useSignal(first ?? "");
  useCall("newest", async (signal) => {
    if (first !== undefined) return null;
    const { catalogues } = await call(
      "GET /api/catalogues",
      { query: { pageSize: 1 } },
      { signal },
    );
    if (catalogue.value === "") catalogue.value = catalogues[0]?.id ?? "";
    return null;
  });
  return catalogue;
}

type HowToProps = {
  readonly client: Client;
  /** Its id. */
  readonly catalogue: string;
  readonly access: TokenAccess;
};

function HowTo({ client, catalogue, access }: HowToProps) {
  if (client === UNABLE) return <ByShare catalogue={catalogue} />;
  if (client !== QGIS) return <CopyText text={CLIENTS[client](access)} />;
  return (
    <>
      <p>
        Add a vector layer with the source type “Protocol: HTTP(S), cloud, etc.”, this address, and
        a new authentication configuration of the kind “Basic authentication”: any user name, and
        the secret as its password.
      </p>
      <CopyField label="Address" value={layerAddress(access.base)} />
    </>
  );
}

function ByShare({ catalogue }: { readonly catalogue: string }) {
  return (
    <p>
      These programs cannot sign in. Give them the address of a share of the catalogue
      {has("editor") ? (
        <>
          : <Link href={`/catalogues/${catalogue}/shares`}>make a share</Link>.
        </>
      ) : (
        ", which its editors make."
      )}
    </p>
  );
}

/** What a token may do, from the least to the greatest; but for the first each includes those before it. */
const SCOPES_IN_WORDS: readonly {
  readonly scope: Scope;
  readonly name: string;
  /** Follows "A program with this token". */
  readonly does: string;
  /** From which role on it is of use. */
  readonly role: Role;
}[] = [
  {
    scope: "metrics",
    name: "metrics",
    does: "reads the service's metrics, and nothing else",
    role: "admin",
  },
  {
    scope: "read",
    name: "read",
    does: "reads, compares and exports what you may read; it changes nothing",
    role: "viewer",
  },
  {
    scope: "write",
    name: "read and change",
    does: "reads what you may read, and makes, imports, merges and edits catalogues",
    role: "editor",
  },
  {
    scope: "admin",
    name: "everything",
    does: "does everything that administrators do, with accounts and rights too",
    role: "admin",
  },
];

/** The greatest of a token's scopes: "read and change". */
export function scopesInWords(scopes: readonly Scope[]): string {
  return SCOPES_IN_WORDS.findLast(({ scope }) => includesScope(scopes, scope))?.name ?? "";
}
