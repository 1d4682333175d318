import { useSignal } from "@preact/signals";
import { Link, useSearchParams } from "wouter-preact";
import { includesScope, type Scope } from "#contracts/access-scopes.ts";
import { DAY_MS } from "#contracts/units.ts";
import { type AnswerOf, call } from "../../api/call.ts";
import { has, mayUse, type Role } from "../../api/session.ts";
import { Answered, useCall, Waiting } from "../../ui/call.tsx";
import { ask } from "../../ui/form/ask.ts";
import { tellLost } from "../../ui/form/attempts.ts";
import {
  CatalogueChoice,
  CatalogueSearchField,
  useCatalogueSearch,
} from "../../ui/form/catalogue-choice.tsx";
import { number } from "../../ui/form/codecs.ts";
import { CopyField, CopyText } from "../../ui/form/copy.tsx";
import { bound, Checkbox, CheckList, Select } from "../../ui/form/fields.tsx";
import { choice, custom, input, type Shown } from "../../ui/form/form.tsx";
import { Button, Frame, Panel, useTitle } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted, day } from "../../ui/text/format.ts";
import { Moment, UtcTime } from "../../ui/text/moment.tsx";

type Token = AnswerOf<"GET /api/tokens">["tokens"][number];
type Made = AnswerOf<"POST /api/tokens">;

/** One's own access tokens; for administrators, by the address, those of another user. */
export function Page() {
  const [query] = useSearchParams();
  const user = query.get("user");
  const found = useCall(`tokens ${user}`, (signal) => readTokens(user, signal));
  const made = useSignal<Made | null>(null);
  const owner = found.answer?.owner;
  const title = owner ? `Access tokens of ${owner}` : "Access tokens";
  useTitle(title);
  const add = () =>
    askForToken(found.reload, (token) => {
      made.value = token;
      found.reload();
    });
  return (
    <Frame
      title={title}
      head={user === null && <Button class="primary" onClick={add} text="New token" />}
      back={
        user === null ? ["/profile", "Back to the profile"] : ["/admin/users", "Back to the users"]
      }
      intro="Programs sign in by a token instead of a password. A token can never do more than its owner, and it ends by itself."
    >
      {made.value && (
        <MadeToken key={made.value.token.id} made={made.value} onDone={() => (made.value = null)} />
      )}
      <Answered call={found}>
        {({ tokens, names }) => (
          <Table
            label="Access tokens"
            kind="log folds"
            rows={tokens}
            empty={
              owner
                ? { title: `${owner} has no access tokens.` }
                : {
                    title: "You have no access tokens yet.",
                    text: "Make one for a script, for ObsPy, pandas, GDAL or QGIS: it reads what you may read, and nobody has to write your password into a file.",
                  }
            }
            columns={[
              ["Name", ({ name }) => name, "words"],
              ["May", ({ scopes }) => scopesInWords(scopes)],
              ["Catalogues", ({ catalogues }) => <Catalogues ids={catalogues} names={names} />],
              ["Made", (token) => <Moment at={token.created_at} />],
              ["Ends, UTC", (token) => <End at={token.expires_at} />],
              ["Last used", (token) => <Moment at={token.last_used} unknown="never" />],
            ]}
            actions={(token) => [["End", token.name, () => askToEnd(token, found.reload)]]}
          />
        )}
      </Answered>
    </Frame>
  );
}

/** As many catalogues as one answer names. */
const NAMED = 100;

async function readTokens(user: string | null, signal: AbortSignal) {
  const [{ tokens }, owner] = await Promise.all([
    call("GET /api/tokens", { query: user === null ? {} : { user } }, { signal }),
    user && call("GET /api/users/:id", { params: { id: user } }, { signal }),
  ]);
  const isLimited = tokens.some(({ catalogues }) => catalogues !== null);
  const listed = isLimited
    ? (await call("GET /api/catalogues", { query: { pageSize: NAMED } }, { signal })).catalogues
    : [];
  return {
    tokens,
    names: new Map(listed.map(({ id, name }) => [id, name])),
    owner: owner ? owner.user.name : null,
  };
}

/** As many as are named. */
const SHOWN = 3;

type CataloguesProps = {
  readonly ids: Token["catalogues"];
  /** Of catalogues, by their ids; of some that are not new it is not known. */
  readonly names: ReadonlyMap<string, string>;
};

function Catalogues({ ids, names }: CataloguesProps) {
  if (ids === null) return <>all</>;
  return (
    <>
      {ids.slice(0, SHOWN).map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Link href={`/catalogues/${id}`}>{names.get(id) ?? id.slice(0, 8)}</Link>
        </span>
      ))}
      {ids.length > SHOWN && ` and ${count(ids.length - SHOWN)} more`}
    </>
  );
}

/** From so many days before its end on a token is marked. */
const SOON_DAYS = 7;

function End({ at }: { readonly at: string }) {
  const days = Math.floor((Date.parse(at) - Date.now()) / DAY_MS);
  return (
    <>
      <UtcTime at={at} length={10} />{" "}
      {days < 0 ? (
        <span class="badge bad">expired</span>
      ) : (
        <span class={days < SOON_DAYS ? "badge warning" : "muted nowrap"}>
          {days === 0 ? "within a day" : `in ${counted(days, "day")}`}
        </span>
      )}
    </>
  );
}

function askToEnd({ id, name }: Token, reload: () => void): void {
  ask({
    title: "End the token",
    action: "End it",
    isDanger: true,
    text: `Programs that use “${name}” are refused from now on. Nothing brings it back.`,
    run: (options) => call("DELETE /api/tokens/:id", { params: { id } }, options),
    done: `The token “${name}” has ended.`,
    after: reload,
  });
}

/** Asks what a token is for, and makes it. @param reload after one was made whose secret is lost */
function askForToken(reload: () => void, onMade: (made: Made) => void): void {
  const offered = SCOPES_IN_WORDS.filter(({ role }) => mayUse(role));
  ask({
    title: "New access token",
    action: "Make the token",
    fields: {
      name: input({
        label: "Name",
        placeholder: "The program it is for",
        autocomplete: "off",
        required: true,
      }),
      scope: choice<Scope>(
        "What it may do",
        offered.map(({ scope, name }) => ({ value: scope, text: name })),
        {
          start: "read",
          hint: (chosen) =>
            `A program with it ${offered.find(({ scope }) => scope === chosen)?.does}.`,
        },
      ),
      expiresInDays: input(
        {
          label: "Ends after",
          unit: "days",
          inputMode: "numeric",
          required: true,
          start: "90",
          hint: endOf,
        },
        number,
      ),
      catalogues: custom<string[] | null>(null, (shown) => <Limit {...shown} />),
    },
    isReady: ({ catalogues }) => catalogues?.length !== 0,
    run: (options, { name, scope, expiresInDays, catalogues }) =>
      call(
        "POST /api/tokens",
        { body: { name, scopes: [scope], expiresInDays, ...(catalogues && { catalogues }) } },
        options,
      ).catch(
        tellLost(
          "The token was made, but the answer with its secret was lost. End it in the list, and make another.",
          reload,
        ),
      ),
    after: onMade,
  });
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

/** The only catalogues that a token has, by their ids; null for all. */
function Limit({ value, onValue, problem }: Shown<string[] | null>) {
  return (
    <>
      <Checkbox checked={value !== null} onChecked={(is) => onValue(is ? [] : null)}>
        Only for certain catalogues
      </Checkbox>
      {value && <ListedCatalogues chosen={value} problem={problem} onChosen={onValue} />}
    </>
  );
}

type ListedCataloguesProps = {
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
  readonly onChosen: (chosen: string[]) => void;
};

function ListedCatalogues({ chosen, problem, onChosen }: ListedCataloguesProps) {
  const search = useCatalogueSearch();
  return (
    <fieldset class="stack">
      <legend class="visually-hidden">Its catalogues</legend>
      <CatalogueSearchField search={search} />
      {search.list === null && search.error === null && <Waiting />}
      <div class="choice-list">
        <CheckList
          options={(search.list?.catalogues ?? []).map(({ id, name }) => ({ id, text: name }))}
          chosen={chosen}
          onChosen={onChosen}
        />
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

/** Programs that need more than lines. */
const QGIS = "QGIS";
const UNABLE = "libcomcat, pyCSEP, seisplotjs";

type Client = keyof typeof CLIENTS | typeof QGIS | typeof UNABLE;

const NAMES = [...(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[]), QGIS, UNABLE] as const;
const OPTIONS = NAMES.map((name) => ({ value: name, text: name }));

type MadeTokenProps = { readonly made: Made; readonly onDone: () => void };

/** A token's secret, this once, and how programs read a catalogue with it. */
function MadeToken({ made: { token, secret }, onDone }: MadeTokenProps) {
  const catalogue = useFirstCatalogue(token.catalogues?.[0]);
  const client = useSignal<Client>("curl");
  return (
    <Panel title={`The token “${token.name}”`} aria-label={`The token “${token.name}”`}>
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
        <Button class="primary" onClick={onDone} text="I have copied the secret" />
      </div>
    </Panel>
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
function scopesInWords(scopes: readonly Scope[]): string {
  return SCOPES_IN_WORDS.findLast(({ scope }) => includesScope(scopes, scope))?.name ?? "";
}
