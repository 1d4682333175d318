import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { CallError, call } from "../api/call.ts";
import { callForAll } from "../api/call-for-all.ts";
import { readDiff } from "../api/diff.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { DiffPart } from "../features/version-diff.tsx";
import type { Catalogue, CatalogueVersion } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import { Answered } from "../ui/call/answered.tsx";
import { notice } from "../ui/call/notices.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { useMayChange } from "../ui/call/use-may-change.ts";
import { Cite } from "../ui/cite.tsx";
import { ConfirmDialog } from "../ui/form/confirm-dialog.tsx";
import { SubmitRow } from "../ui/form/submit.tsx";
import { VersionField } from "../ui/form/version-field.tsx";
import { Actor, NamesOfPeople } from "../ui/person.tsx";
import { Empty, FailedPage } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { count } from "../ui/text/format.ts";
import { Moment } from "../ui/text/moment.tsx";
import { useTitle } from "../ui/use-title.ts";

type LoadedVersions = {
  readonly catalogue: Catalogue;
  /** Newest first. */
  readonly versions: readonly CatalogueVersion[];
  /** The entity tag of the latest. */
  readonly tag: string;
};

/** The versions of a catalogue: what each changed, two of them compared, citations, going back. */
export function Page({ params: { id = "" } }: PageProps) {
  const listed = useCall<LoadedVersions>(`${id} ${changesOfAccount.value}`, async (signal) => {
    const [catalogue, { answer, tag }] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      callForAll("GET /api/catalogues/:id/versions", { params: { id } }, { signal }),
    ]);
    return { catalogue, versions: answer.versions, tag };
  });
  const loaded = listed.last?.catalogue.id === id ? listed.last : null;
  if (loaded === null && listed.error !== null) {
    return <FailedPage title="Versions" error={listed.error} retry={listed.reload} />;
  }
  return (
    <section class="page">
      <div class="page-head">
        <h1>{loaded ? `Versions of ${loaded.catalogue.name}` : "Versions"}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <Answered call={listed} answer={loaded}>
        {(answer) => <Versions key={id} loaded={answer} reload={listed.reload} />}
      </Answered>
    </section>
  );
}

type VersionsProps = { readonly loaded: LoadedVersions; readonly reload: () => void };

function Versions({ loaded: { catalogue, versions, tag }, reload }: VersionsProps) {
  const { id, name } = catalogue;
  const query = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const from = numberOf(query.get("from"));
  const to = numberOf(query.get("to"));
  const cited = useSignal<number | null>(null);
  const restored = useSignal<number | null>(null);
  useTitle(`Versions of ${name}`);
  const listFrom = (version: number | null) => {
    if (version === null) query.delete("newest");
    else query.set("newest", String(version));
    navigate(query.size === 0 ? path : `${path}?${query}`);
  };
  return (
    <>
      {from !== null && to !== null && (
        <DiffPart key={`${from} ${to}`} catalogue={catalogue} from={from} to={to} />
      )}
      <VersionList
        catalogue={catalogue}
        versions={versions}
        from={from}
        to={to}
        newest={numberOf(query.get("newest"))}
        onCompare={(one, other) => navigate(`${path}?from=${one}&to=${other}`)}
        onNewest={listFrom}
        onCite={(version) => (cited.value = version)}
        onRestore={(version) => (restored.value = version)}
      />
      {cited.value !== null && (
        <Cite catalogue={id} version={cited.value} onClose={() => (cited.value = null)} />
      )}
      {restored.value !== null && (
        <Restore
          catalogue={id}
          latest={versions[0]?.version ?? 0}
          tag={tag}
          version={restored.value}
          onDone={reload}
          onConflict={reload}
          onClose={() => (restored.value = null)}
        />
      )}
    </>
  );
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Versions on one page of the list. */
const PAGE = 50;

const COLUMNS = [
  "From",
  "To",
  { number: "Version" },
  "Made",
  "What",
  { number: "Added" },
  { number: "Updated" },
  { number: "Removed" },
  { hidden: "What can be done" },
];

type VersionListProps = {
  readonly catalogue: Catalogue;
  /** Newest first. */
  readonly versions: readonly CatalogueVersion[];
  readonly from: number | null;
  readonly to: number | null;
  /** The list begins at this version; null for the latest. */
  readonly newest: number | null;
  readonly onCompare: (from: number, to: number) => void;
  readonly onNewest: (version: number | null) => void;
  readonly onCite: (version: number) => void;
  readonly onRestore: (version: number) => void;
};

/** Every version with what it changed; two are chosen to be compared. */
function VersionList(props: VersionListProps) {
  const { catalogue, versions, newest, onCompare, onCite, onRestore } = props;
  const mayChange = useMayChange(catalogue);
  const from = useSignal(props.from ?? versions[1]?.version ?? 0);
  const to = useSignal(props.to ?? versions[0]?.version ?? 0);
  useEffect(() => {
    if (props.from !== null) from.value = props.from;
    if (props.to !== null) to.value = props.to;
  }, [props.from, props.to]);
  if (versions.length === 0) return <Empty title="There is no version yet." />;
  const index = newest === null ? 0 : versions.findIndex(({ version }) => version <= newest);
  const start = index === -1 ? versions.length - 1 : index;
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onCompare(from.value, to.value);
        }}
      >
        {has("admin") && <NamesOfPeople />}
        <SubmitRow
          text={`Compare ${count(from.value)} with ${count(to.value)}`}
          isDisabled={from.value === to.value}
        />
        <Table label="Versions" kind="versions folds" columns={COLUMNS}>
          {versions.slice(start, start + PAGE).map((one) => (
            <VersionRow
              key={one.version}
              catalogue={catalogue}
              version={one}
              from={from}
              to={to}
              onCite={onCite}
              onRestore={mayChange ? onRestore : null}
            />
          ))}
        </Table>
      </form>
      {versions.length > PAGE && (
        <VersionPages versions={versions} start={start} size={PAGE} onNewest={props.onNewest} />
      )}
    </>
  );
}

type VersionPagesProps = {
  /** Newest first. */
  readonly versions: readonly CatalogueVersion[];
  /** The index of the first that is shown, and how many are shown. */
  readonly start: number;
  readonly size: number;
  /** Null for the latest. */
  readonly onNewest: (version: number | null) => void;
};

/** Leads through a long list of versions, and to one of them. */
function VersionPages({ versions, start, size, onNewest }: VersionPagesProps) {
  const at = (index: number) => onNewest(index <= 0 ? null : (versions[index]?.version ?? null));
  const last = Math.min(start + size, versions.length) - 1;
  return (
    <nav class="version-pages" aria-label="Pages of the list">
      <div class="row">
        <button type="button" disabled={start === 0} onClick={() => at(start - size)}>
          Newer
        </button>
        <span class="muted">
          Versions {count(versions[start]?.version ?? 0)} to {count(versions[last]?.version ?? 0)}{" "}
          of {count(versions[0]?.version ?? 0)}
        </span>
        <button
          type="button"
          disabled={last >= versions.length - 1}
          onClick={() => at(start + size)}
        >
          Older
        </button>
      </div>
      <VersionField
        label="Version"
        action="Go to it"
        latest={versions[0]?.version ?? 0}
        onVersion={onNewest}
      />
    </nav>
  );
}

type VersionRowProps = {
  readonly catalogue: Catalogue;
  readonly version: CatalogueVersion;
  /** The versions that are chosen to be compared. */
  readonly from: Signal<number>;
  readonly to: Signal<number>;
  readonly onCite: (version: number) => void;
  /** Null for those who may not. */
  readonly onRestore: ((version: number) => void) | null;
};

function VersionRow(props: VersionRowProps) {
  const { catalogue, version: one, from, to, onCite, onRestore } = props;
  const { version } = one;
  const isLatest = version === catalogue.version;
  const page = `/catalogues/${catalogue.id}`;
  return (
    <tr>
      <td>
        <Choice name="from" version={version} chosen={from} />
      </td>
      <td>
        <Choice name="to" version={version} chosen={to} />
      </td>
      <td class="number">
        <Link href={isLatest ? page : `${page}?asOf=${version}`}>{count(version)}</Link>
      </td>
      <td>
        <Moment at={one.created_at} />
      </td>
      <td>
        <MadeBy catalogue={catalogue.id} version={one} />
      </td>
      {[one.added, one.updated, one.removed].map((number, kind) => (
        <td key={kind} class={number === 0 ? "number nothing" : "number"}>
          {count(number)}
        </td>
      ))}
      <td>
        <div class="row">
          <button type="button" class="plain link" onClick={() => onCite(version)}>
            Cite<span class="visually-hidden"> version {count(version)}</span>
          </button>
          {onRestore && !isLatest && (
            <button type="button" class="plain link" onClick={() => onRestore(version)}>
              Restore…<span class="visually-hidden"> version {count(version)}</span>
            </button>
          )}
        </div>
      </td>
    </tr>
  );
}

type ChoiceProps = {
  readonly name: "from" | "to";
  readonly version: number;
  readonly chosen: Signal<number>;
};

function Choice({ name, version, chosen }: ChoiceProps) {
  return (
    <input
      type="radio"
      name={name}
      aria-label={`${name === "from" ? "From" : "To"} version ${count(version)}`}
      checked={chosen.value === version}
      onChange={() => (chosen.value = version)}
    />
  );
}

type MadeByProps = { readonly catalogue: string; readonly version: CatalogueVersion };

/** What made a version, and who, where the service tells it. */
function MadeBy({ catalogue, version: { cause, actor } }: MadeByProps) {
  return (
    <>
      {cause === "import" && has("viewer") ? (
        <Link href={`/catalogues/${catalogue}/imports`}>{cause}</Link>
      ) : (
        cause
      )}
      {actor !== null && (
        <>
          {" by "}
          <Actor id={actor} />
        </>
      )}
    </>
  );
}

type RestoreProps = {
  readonly catalogue: string;
  readonly latest: number;
  /** The entity tag of the latest version. */
  readonly tag: string;
  readonly version: number;
  readonly onDone: () => void;
  /** Somebody else has made a version meanwhile: what restoring changes is another thing. */
  readonly onConflict: () => void;
  readonly onClose: () => void;
};

/** Makes a new version that equals an earlier one, after saying what this will change. */
function Restore(props: RestoreProps) {
  const { catalogue: id, latest, tag, version, onDone, onConflict, onClose } = props;
  const read = useCall(`${id} ${latest} ${version}`, (signal) =>
    readDiff(id, { from: latest, to: version }, { limit: 1 }, { signal }),
  );
  const restore = async (idempotencyKey: string) => {
    try {
      const { version: made } = await call(
        "POST /api/catalogues/:id/versions/:version/restore",
        { params: { id, version } },
        { ifMatch: tag, idempotencyKey },
      );
      notice.done(
        made === latest ? "The latest version is so already" : `Restored as version ${count(made)}`,
      );
    } catch (error) {
      if (error instanceof CallError && error.status === 412) onConflict();
      throw error;
    }
    onDone();
  };
  return (
    <ConfirmDialog
      title={`Restore version ${count(version)}`}
      action="Restore"
      isReady={read.answer !== null}
      of={tag}
      run={restore}
      onClose={onClose}
    >
      <p>A new version will equal version {count(version)}. All earlier versions stay.</p>
      <Answered call={read} waiting="Looking at what this changes…">
        {({ added, updated, removed }) => (
          <p>
            It adds {count(added)}, changes {count(updated)} and removes {count(removed)} events.
          </p>
        )}
      </Answered>
    </ConfirmDialog>
  );
}
