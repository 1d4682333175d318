import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { addressOf } from "../api/call.ts";
import { type Change, type ChangeKind, type Diff, readDiff } from "../api/diff.ts";
import { KINDS, KindMark, ShownChanges } from "../map/changes.tsx";
import type { Catalogue } from "../model/operation-types.ts";
import { addressOfEvent } from "../model/page-route.ts";
import { Answered, useAction, useCall } from "../ui/call.tsx";
import { Checkbox } from "../ui/form/fields.tsx";
import { count } from "../ui/text/format.ts";

const FIRST_PAGE = 500;

type DiffPartProps = {
  readonly catalogue: Catalogue;
  readonly from: number;
  readonly to: number;
};

/** What differs between two versions: counted, on a map, and event by event. */
export function DiffPart({ catalogue, from, to }: DiffPartProps) {
  const difference = useCall(`${catalogue.id} ${from} ${to}`, (signal) =>
    readDiff(catalogue.id, { from, to }, { limit: FIRST_PAGE }, { signal }),
  );
  return (
    <section class="stack" aria-label="Differences">
      <h2>
        From version {from} to version {to}
      </h2>
      <Answered call={difference}>
        {(diff) => <Differences catalogue={catalogue} diff={diff} />}
      </Answered>
    </section>
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
