import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { addressOf } from "../../api/call.ts";
import { type Change, type Diff, readDiff } from "../../api/diff.ts";
import { columnsOfEvents } from "../../map/event-list.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { MapView } from "../../map/live-map.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { count, MINUS } from "../../ui/format.ts";
import { useAction } from "../../ui/use-action.ts";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";
import { ChangeRows } from "./change-rows.tsx";
import { kindClasses } from "./kinds.ts";
import type { Catalogue } from "./page.tsx";

const PAGE = 500;

type DiffPartProps = {
  readonly catalogue: Catalogue;
  readonly from: number;
  readonly to: number;
};

/** What differs between two versions: counted, on a map, and event by event. */
export function DiffPart({ catalogue, from, to }: DiffPartProps) {
  const { answer, error, reload } = useCall(`${catalogue.id} ${from} ${to}`, (signal) =>
    readDiff(catalogue.id, { from, to }, { limit: PAGE }, { signal }),
  );
  return (
    <section class="stack" aria-label="Differences">
      <h2>
        From version {from} to version {to}
      </h2>
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {answer.value === null ? (
        error.value === null && <Waiting />
      ) : (
        <Differences catalogue={catalogue} diff={answer.value} />
      )}
    </section>
  );
}

function Differences({ catalogue, diff }: { readonly catalogue: Catalogue; readonly diff: Diff }) {
  const { id } = catalogue;
  const { from, to, added, updated, removed } = diff;
  const changes = useSignal<readonly Change[]>(diff.changes);
  const cursor = useSignal(diff.nextCursor);
  const selected = useSignal<number | null>(null);
  const view = useSignal<MapView | null>(null);
  const { run, isBusy } = useAction();
  const shown = changes.value;
  const columns = useMemo(
    () =>
      columnsOfEvents(
        to,
        shown.map(({ event }) => event),
      ),
    [shown],
  );
  const colours = useMemo(() => kindClasses(shown), [shown]);
  const more = () =>
    run(async () => {
      const next = await readDiff(id, { from, to }, { limit: PAGE, cursor: cursor.value ?? "" });
      changes.value = [...changes.value, ...next.changes];
      cursor.value = next.nextCursor;
    });
  const files = { params: { id, version: to }, query: { from } };
  const fileOf = (format: string) =>
    addressOf("GET /api/catalogues/:id/versions/:version/diff", {
      ...files,
      query: { ...files.query, format },
    });
  return (
    <>
      <p class="row">
        <strong>
          +{count(added)} ~{count(updated)} {MINUS}
          {count(removed)}
        </strong>
        <a href={fileOf("csv")} download>
          CSV
        </a>
        <a href={fileOf("geojson")} download>
          GeoJSON
        </a>
        <Link href={`/catalogues/${id}/versions?from=${to}&to=${from}`}>The other way round</Link>
      </p>
      {shown.length === 0 ? (
        <p class="muted">Nothing differs.</p>
      ) : (
        <>
          <div class="diff-map">
            <EventMap
              columns={columns}
              shown={null}
              selected={selected}
              view={view}
              colours={colours}
            />
          </div>
          <ChangeRows
            catalogue={catalogue}
            from={from}
            to={to}
            changes={shown}
            selected={selected}
          />
          {cursor.value !== null && (
            <div class="row">
              <button type="button" disabled={isBusy.value} onClick={more}>
                {count(added + updated + removed - shown.length)} more
              </button>
            </div>
          )}
        </>
      )}
    </>
  );
}
