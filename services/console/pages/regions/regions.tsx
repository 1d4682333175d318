import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { has } from "../../api/session.ts";
import { Extent } from "../../features/regions/region.tsx";
import { BoxesMap } from "../../map/boxes-map.tsx";
import { boundsOfBbox } from "../../model/bounds.ts";
import { Answered } from "../../ui/call.tsx";
import { ButtonLink, Empty, Frame } from "../../ui/page.tsx";
import { Actor, NamesOfPeople } from "../../ui/person.tsx";
import { type ListedRegion, useSavedRegions } from "../../ui/saved-regions.tsx";
import { type Columns, Table } from "../../ui/table.tsx";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";

export function Page() {
  const found = useSavedRegions();
  return (
    <Frame
      title="Regions"
      head={has("editor") && <ButtonLink class="primary" href="/regions/new" text="New region" />}
      intro="Areas with a name, by which the events of every catalogue are filtered, and by which imports and schedules ask agencies."
    >
      {has("admin") && <NamesOfPeople />}
      <Answered call={found}>
        {(regions) =>
          regions.length === 0 ? (
            <Empty
              title="No region is saved."
              text="Editors draw regions, or read them from GeoJSON."
            />
          ) : (
            <List regions={regions} />
          )
        }
      </Answered>
    </Frame>
  );
}

function List({ regions }: { readonly regions: readonly ListedRegion[] }) {
  const [, navigate] = useLocation();
  const marked = useSignal<string | null>(null);
  const boxes = useMemo(
    () => regions.map(({ id, bbox }) => ({ id, bounds: boundsOfBbox(bbox) })),
    [regions],
  );
  return (
    <div class="list-and-map">
      <Table
        label="Regions"
        kind="folds"
        rows={regions}
        rowAttributes={({ id }) => ({
          class: marked.value === id ? "marked" : undefined,
          onMouseEnter: () => (marked.value = id),
          onMouseLeave: () => (marked.value = null),
        })}
        columns={COLUMNS}
      />
      <div>
        <BoxesMap boxes={boxes} marked={marked} onChosen={(id) => navigate(`/regions/${id}`)} />
      </div>
    </div>
  );
}

const COLUMNS: Columns<ListedRegion> = [
  [
    "Region",
    ({ id, name, note }) => (
      <>
        <Link href={`/regions/${id}`}>{name}</Link>
        {note !== null && <div class="purpose">{note}</div>}
      </>
    ),
    "",
    "row",
  ],
  ["Extent", ({ bbox }) => <Extent bbox={bbox} />, "words"],
  ["Vertices", ({ vertices }) => count(vertices), "number"],
  [
    "Changed",
    (region) => (
      <>
        <Moment at={region.updated_at} />
        <div class="purpose">
          by <Actor id={region.updated_by} />
        </div>
      </>
    ),
  ],
];
