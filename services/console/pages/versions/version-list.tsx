import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { has } from "../../api/session.ts";
import { count, MINUS } from "../../ui/format.ts";
import { Moment } from "../../ui/moment.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { MadeBy, NamesOfMakers } from "./made-by.tsx";
import type { Catalogue, Version } from "./page.tsx";

/** Versions shown at first, and with each further request. */
const PAGE = 50;

type VersionListProps = {
  readonly catalogue: Catalogue;
  /** Newest first. */
  readonly versions: readonly Version[];
  readonly from: number | null;
  readonly to: number | null;
  readonly onCompare: (from: number, to: number) => void;
  readonly onCite: (version: number) => void;
  readonly onRestore: (version: number) => void;
};

/** Every version with what it changed; two are chosen to be compared. */
export function VersionList(props: VersionListProps) {
  const { catalogue, versions, onCompare, onCite, onRestore } = props;
  const from = useSignal(props.from ?? versions[1]?.version ?? 0);
  const to = useSignal(props.to ?? versions[0]?.version ?? 0);
  const shown = useSignal(PAGE);
  useEffect(() => {
    if (props.from !== null) from.value = props.from;
    if (props.to !== null) to.value = props.to;
  }, [props.from, props.to]);
  if (versions.length === 0) return <p class="empty">There is no version yet.</p>;
  const canRestore = has("editor");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCompare(from.value, to.value);
      }}
    >
      {has("admin") && <NamesOfMakers />}
      <div class="row">
        <button type="submit" class="primary" disabled={from.value === to.value}>
          Compare {from.value} with {to.value}
        </button>
      </div>
      <ScrollArea label="Versions">
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col" class="number">
                Version
              </th>
              <th scope="col">Made</th>
              <th scope="col">By</th>
              <th scope="col" class="number">
                Added
              </th>
              <th scope="col" class="number">
                Updated
              </th>
              <th scope="col" class="number">
                Removed
              </th>
              <th scope="col">
                <span class="visually-hidden">What can be done</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {versions.slice(0, shown.value).map((one) => (
              <tr key={one.version}>
                <td>
                  <Choice name="from" version={one.version} chosen={from} />
                </td>
                <td>
                  <Choice name="to" version={one.version} chosen={to} />
                </td>
                <td class="number">
                  <Link href={`/catalogues/${catalogue.id}?asOf=${one.version}`}>
                    {one.version}
                  </Link>
                </td>
                <td>
                  <Moment at={one.created_at} />
                </td>
                <td>
                  <MadeBy catalogue={catalogue.id} version={one} />
                </td>
                <td class="number">+{count(one.added)}</td>
                <td class="number">~{count(one.updated)}</td>
                <td class="number">
                  {MINUS}
                  {count(one.removed)}
                </td>
                <td>
                  <div class="row">
                    <button type="button" class="plain link" onClick={() => onCite(one.version)}>
                      Cite<span class="visually-hidden"> version {one.version}</span>
                    </button>
                    {canRestore && one.version !== catalogue.version && (
                      <button
                        type="button"
                        class="plain link"
                        onClick={() => onRestore(one.version)}
                      >
                        Restore<span class="visually-hidden"> version {one.version}</span>…
                      </button>
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {versions.length > shown.value && (
        <div class="row">
          <button type="button" onClick={() => (shown.value += PAGE)}>
            {count(versions.length - shown.value)} more
          </button>
        </div>
      )}
    </form>
  );
}

type ChoiceProps = {
  readonly name: "from" | "to";
  readonly version: number;
  readonly chosen: { value: number };
};

function Choice({ name, version, chosen }: ChoiceProps) {
  return (
    <input
      type="radio"
      name={name}
      aria-label={`${name === "from" ? "From" : "To"} version ${version}`}
      checked={chosen.value === version}
      onChange={() => {
        chosen.value = version;
      }}
    />
  );
}
