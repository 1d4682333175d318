import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { has } from "../../api/session.ts";
import type { Catalogue, CatalogueVersion } from "../../model/catalogue.ts";
import { useMayChange } from "../../ui/call/use-may-change.ts";
import { Empty } from "../../ui/empty.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { VersionField } from "../../ui/form/version-field.tsx";
import { Actor, NamesOfPeople } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";

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
export function VersionList(props: VersionListProps) {
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
