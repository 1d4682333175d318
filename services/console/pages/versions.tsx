import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { addressOf, type Catalogue, type CatalogueVersion, call, callForAll } from "../api/call.ts";
import { type Change, type ChangeKind, type Diff, readDiff } from "../api/diff.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { KINDS, KindMark, ShownChanges } from "../map/changes.tsx";
import { addressOfEvent } from "../model/event-columns.ts";
import { Answered, useAction, useCall } from "../ui/call.tsx";
import { CataloguePage, useMayChange } from "../ui/catalogue-page.tsx";
import { Cite } from "../ui/cite.tsx";
import { ask } from "../ui/form/ask.ts";
import { unlessChanged } from "../ui/form/attempts.ts";
import { Checkbox } from "../ui/form/fields.tsx";
import { custom } from "../ui/form/form.tsx";
import { SubmitRow } from "../ui/form/submit.tsx";
import { VersionField } from "../ui/form/version-field.tsx";
import { Button, Empty, type PageProps, Panel, useTitle } from "../ui/page.tsx";
import { Actor, NamesOfPeople } from "../ui/person.tsx";
import { type ColumnOf, Table } from "../ui/table.tsx";
import { count, sentence } from "../ui/text/format.ts";
import { Moment } from "../ui/text/moment.tsx";

/** The versions of a catalogue: what each changed, two of them compared, citations, going back. */
export function Page({ params: { id = "" } }: PageProps) {
  return (
    <CataloguePage
      key={id}
      id={id}
      title="Versions"
      of={String(changesOfAccount.value)}
      read={(signal) =>
        callForAll("GET /api/catalogues/:id/versions", { params: { id } }, { signal })
      }
    >
      {(catalogue, listed, reload) =>
        listed && (
          <Versions
            catalogue={catalogue}
            versions={listed.answer.versions}
            tag={listed.tag}
            reload={reload}
          />
        )
      }
    </CataloguePage>
  );
}

type VersionsProps = {
  readonly catalogue: Catalogue;
  /** Newest first. */
  readonly versions: readonly CatalogueVersion[];
  /** The entity tag of the latest. */
  readonly tag: string;
  readonly reload: () => void;
};

/** Versions on one page of the list. */
const PAGE = 50;

/** Every version with what it changed; two are chosen to be compared, as the address has them. */
function Versions({ catalogue, versions, tag, reload }: VersionsProps) {
  const { id, name } = catalogue;
  const query = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const mayChange = useMayChange(catalogue);
  const [one, other, newest] = ["from", "to", "newest"].map((part) => numberOf(query.get(part)));
  const from = useSignal(one ?? versions[1]?.version ?? 0);
  const to = useSignal(other ?? versions[0]?.version ?? 0);
  const cited = useSignal<number | null>(null);
  const latest = { version: versions[0]?.version ?? 0, tag };
  const known = useSignal(latest);
  useTitle(`Versions of ${name}`);
  useEffect(() => {
    if (one != null) from.value = one;
    if (other != null) to.value = other;
  }, [one, other]);
  useEffect(() => {
    known.value = latest;
  }, [tag]);
  const listFrom = (version: number | null) => {
    if (version === null) query.delete("newest");
    else query.set("newest", String(version));
    navigate(query.size === 0 ? path : `${path}?${query}`);
  };
  if (versions.length === 0) return <Empty title="There is no version yet." />;
  const index = newest == null ? 0 : versions.findIndex(({ version }) => version <= newest);
  const start = index === -1 ? versions.length - 1 : index;
  const radio = (end: "From" | "To", chosen: Signal<number>, version: number) => (
    <input
      type="radio"
      name={end.toLowerCase()}
      aria-label={`${end} version ${count(version)}`}
      checked={chosen.value === version}
      onChange={() => (chosen.value = version)}
    />
  );
  const changes = (kind: "added" | "updated" | "removed"): ColumnOf<CatalogueVersion> => ({
    head: sentence(kind),
    class: "number",
    attributes: (row) => (row[kind] === 0 ? { class: "number nothing" } : {}),
    cell: (row) => count(row[kind]),
  });
  return (
    <>
      {one != null && other != null && (
        <DiffPart key={`${one} ${other}`} catalogue={catalogue} from={one} to={other} />
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          navigate(`${path}?from=${from.value}&to=${to.value}`);
        }}
      >
        {has("admin") && <NamesOfPeople />}
        <SubmitRow
          text={`Compare ${count(from.value)} with ${count(to.value)}`}
          isDisabled={from.value === to.value}
        />
        <Table
          label="Versions"
          kind="versions folds"
          rows={versions.slice(start, start + PAGE)}
          keyOf={({ version }) => version}
          columns={[
            ["From", ({ version }) => radio("From", from, version)],
            ["To", ({ version }) => radio("To", to, version)],
            [
              "Version",
              ({ version }) => (
                <Link
                  href={`/catalogues/${id}${version === catalogue.version ? "" : `?asOf=${version}`}`}
                >
                  {count(version)}
                </Link>
              ),
              "number",
            ],
            ["Made", ({ created_at: at }) => <Moment at={at} />],
            ["What", (version) => <MadeBy catalogue={id} version={version} />],
            changes("added"),
            changes("updated"),
            changes("removed"),
            [
              "What can be done",
              ({ version }) => (
                <div class="row">
                  <button type="button" class="plain link" onClick={() => (cited.value = version)}>
                    Cite<span class="visually-hidden"> version {count(version)}</span>
                  </button>
                  {mayChange && version !== catalogue.version && (
                    <button
                      type="button"
                      class="plain link"
                      onClick={() => askToRestore(id, version, known, reload)}
                    >
                      Restore…<span class="visually-hidden"> version {count(version)}</span>
                    </button>
                  )}
                </div>
              ),
              "",
              "hidden",
            ],
          ]}
        />
      </form>
      {versions.length > PAGE && (
        <VersionPages versions={versions} start={start} onNewest={listFrom} />
      )}
      {cited.value !== null && (
        <Cite catalogue={id} version={cited.value} onClose={() => (cited.value = null)} />
      )}
    </>
  );
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

type VersionPagesProps = {
  /** Newest first. */
  readonly versions: readonly CatalogueVersion[];
  /** The index of the first that is shown. */
  readonly start: number;
  /** Null for the latest. */
  readonly onNewest: (version: number | null) => void;
};

/** Leads through a long list of versions, and to one of them. */
function VersionPages({ versions, start, onNewest }: VersionPagesProps) {
  const at = (index: number) => onNewest(index <= 0 ? null : (versions[index]?.version ?? null));
  const last = Math.min(start + PAGE, versions.length) - 1;
  return (
    <nav class="version-pages" aria-label="Pages of the list">
      <div class="row">
        <Button disabled={start === 0} onClick={() => at(start - PAGE)} text="Newer" />
        <span class="muted">
          Versions {count(versions[start]?.version ?? 0)} to {count(versions[last]?.version ?? 0)}{" "}
          of {count(versions[0]?.version ?? 0)}
        </span>
        <Button
          disabled={last >= versions.length - 1}
          onClick={() => at(start + PAGE)}
          text="Older"
        />
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

/** What made a version, and who, where the service tells it. */
function MadeBy(props: { readonly catalogue: string; readonly version: CatalogueVersion }) {
  const { cause, actor } = props.version;
  return (
    <>
      {cause === "import" && has("viewer") ? (
        <Link href={`/catalogues/${props.catalogue}/imports`}>{cause}</Link>
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

type Latest = {
  readonly version: number;
  /** Its entity tag. */
  readonly tag: string;
};

/** Makes a new version that equals an earlier one, after saying what this will change. */
function askToRestore(id: string, version: number, latest: Signal<Latest>, reload: () => void) {
  ask({
    title: `Restore version ${count(version)}`,
    text: `A new version will equal version ${count(version)}. All earlier versions stay.`,
    fields: {
      isTold: custom(false, ({ onValue }) => (
        <RestoredChanges id={id} version={version} latest={latest} onTold={onValue} />
      )),
    },
    action: "Restore",
    isReady: ({ isTold }) => isTold,
    of: () => latest.value.tag,
    run: (options) =>
      unlessChanged(
        call(
          "POST /api/catalogues/:id/versions/:version/restore",
          { params: { id, version } },
          { ...options, ifMatch: latest.value.tag },
        ),
        // Somebody else has made a version meanwhile: what restoring changes is another thing.
        reload,
      ),
    done: ({ version: made }) =>
      made === latest.value.version
        ? "The latest version is so already"
        : `Restored as version ${count(made)}`,
    after: reload,
  });
}

type RestoredChangesProps = {
  readonly id: string;
  readonly version: number;
  readonly latest: Signal<Latest>;
  readonly onTold: (isTold: boolean) => void;
};

function RestoredChanges({ id, version, latest, onTold }: RestoredChangesProps) {
  const { version: from } = latest.value;
  const read = useCall(`${id} ${from} ${version}`, (signal) =>
    readDiff(id, { from, to: version }, { limit: 1 }, { signal }),
  );
  const isTold = read.answer !== null;
  useEffect(() => onTold(isTold), [isTold]);
  return (
    <Answered call={read} waiting="Looking at what this changes…">
      {({ added, updated, removed }) => (
        <p>
          It adds {count(added)}, changes {count(updated)} and removes {count(removed)} events.
        </p>
      )}
    </Answered>
  );
}

const FIRST_PAGE = 500;

type DiffPartProps = {
  readonly catalogue: Catalogue;
  readonly from: number;
  readonly to: number;
};

/** What differs between two versions: counted, on a map, and event by event. */
function DiffPart({ catalogue, from, to }: DiffPartProps) {
  const difference = useCall(`${catalogue.id} ${from} ${to}`, (signal) =>
    readDiff(catalogue.id, { from, to }, { limit: FIRST_PAGE }, { signal }),
  );
  return (
    <Panel class="stack" aria-label="Differences" title={`From version ${from} to version ${to}`}>
      <Answered call={difference}>
        {(diff) => <Differences catalogue={catalogue} diff={diff} />}
      </Answered>
    </Panel>
  );
}

function Differences({ catalogue, diff }: { readonly catalogue: Catalogue; readonly diff: Diff }) {
  const { id } = catalogue;
  const { from, to } = diff;
  // Those that the address names; all where it names none.
  const named = new URLSearchParams(useSearch()).get("changes")?.split(",");
  const kinds = KINDS.filter((kind) => named?.includes(kind) ?? true);
  const read = useSignal<Pick<Diff, "changes" | "nextCursor">>(diff);
  const { run, isBusy } = useAction();
  const { changes, nextCursor } = read.value;
  const key = kinds.join();
  const filtered = useMemo(
    () => changes.filter((one) => kinds.includes(one.change)),
    [changes, key],
  );
  const left = kinds.reduce((sum, kind) => sum + diff[kind], 0) - filtered.length;
  const more = (cursor: string) =>
    run(async () => {
      const part = await readFurther(id, diff, kinds, cursor);
      read.value = { ...part, changes: [...changes, ...part.changes] };
    });
  const fileOf = (format: string) =>
    addressOf("GET /api/catalogues/:id/versions/:version/diff", {
      params: { id, version: to },
      query: { from, format },
    });
  const addressOfChange = ({ change, event }: Change) => {
    const version = change === "removed" ? from : to;
    return addressOfEvent(id, event.id, version === catalogue.version ? undefined : version);
  };
  return (
    <>
      <div class="row diff-head">
        {changes.length === 0 ? (
          <p class="muted">Nothing differs.</p>
        ) : (
          <KindFilter diff={diff} chosen={kinds} />
        )}
        <p class="row end">
          <a href={fileOf("csv")} download>
            Save as CSV
          </a>
          <a href={fileOf("geojson")} download>
            Save as GeoJSON
          </a>
          <Link href={`/catalogues/${id}/versions?from=${to}&to=${from}`}>The other way round</Link>
        </p>
      </div>
      {changes.length > 0 && (
        <>
          {left > 0 && (
            <p class="muted">
              The map and the list have {count(filtered.length)} of {count(filtered.length + left)}{" "}
              changes; the files have all.
            </p>
          )}
          <ShownChanges key={key} changes={filtered} addressOf={addressOfChange} />
          {nextCursor !== null && left > 0 && (
            <div class="row">
              <button type="button" disabled={isBusy.value} onClick={() => more(nextCursor)}>
                {count(left)} more
              </button>
            </div>
          )}
        </>
      )}
    </>
  );
}

/** Switches for added, updated and removed events, with how many there are of each. */
function KindFilter(props: { readonly diff: Diff; readonly chosen: readonly ChangeKind[] }) {
  const { diff, chosen } = props;
  const search = useSearch();
  const [path, navigate] = useLocation();
  const turn = (kind: ChangeKind, isOn: boolean) => {
    const kinds = KINDS.filter((one) => (one === kind ? isOn : chosen.includes(one)));
    const query = new URLSearchParams(search);
    if (kinds.length === KINDS.length) query.delete("changes");
    else query.set("changes", kinds.join());
    navigate(`${path}?${query}`.replaceAll("%2C", ","));
  };
  return (
    <fieldset class="kinds">
      <legend class="visually-hidden">Changes that are shown</legend>
      <div class="row">
        {KINDS.map((kind) => (
          <Checkbox
            key={kind}
            checked={chosen.includes(kind)}
            onChecked={(isOn) => turn(kind, isOn)}
          >
            <KindMark kind={kind} />
            {count(diff[kind])} {kind}
          </Checkbox>
        ))}
      </div>
    </fieldset>
  );
}

/** The most that the service gives at once. */
const FURTHER_PAGE = 1_000;
/** After so many pages without a wanted change, the reader is asked again. */
const MAX_PAGES = 10;

/**
 * The changes that follow a page of a difference.
 * @param kinds at least one change of these is wanted: the service gives all kinds
 * @throws CallError
 */
async function readFurther(
  id: string,
  { from, to }: Diff,
  kinds: readonly ChangeKind[],
  cursor: string,
): Promise<Pick<Diff, "changes" | "nextCursor">> {
  const changes: Change[] = [];
  let nextCursor: string | null = cursor;
  for (let page = 0; page < MAX_PAGES && nextCursor !== null; page++) {
    const part = await readDiff(id, { from, to }, { limit: FURTHER_PAGE, cursor: nextCursor });
    changes.push(...part.changes);
    nextCursor = part.nextCursor;
    if (part.changes.some(({ change }) => kinds.includes(change))) break;
  }
  return { changes, nextCursor };
}
