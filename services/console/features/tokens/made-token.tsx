import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { bound } from "../../ui/form/bound.ts";
import { CatalogueChoice } from "../../ui/form/catalogue-choice.tsx";
import { CopyField } from "../../ui/form/copy-field.tsx";
import { CopyText } from "../../ui/form/copy-text.tsx";
import { Select } from "../../ui/form/select.tsx";

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
