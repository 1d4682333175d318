import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { has } from "../../api/session.ts";
import type { Catalogue, CatalogueVersion } from "../../model/catalogue.ts";
import { useMayChange } from "../../ui/call/use-may-change.ts";
import { Empty } from "../../ui/empty.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { NamesOfPeople } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { count } from "../../ui/text/format.ts";
import { VersionPages } from "./version-pages.tsx";
import { VersionRow } from "./version-row.tsx";

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
