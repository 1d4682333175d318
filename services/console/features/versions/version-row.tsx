import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import type { Catalogue, CatalogueVersion } from "../../model/catalogue.ts";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { MadeBy } from "./made-by.tsx";

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

export function VersionRow(props: VersionRowProps) {
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
