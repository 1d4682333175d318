import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { has } from "../../api/session.ts";
import { RegionsTable } from "../../features/regions/regions-table.tsx";
import { BoxesMap } from "../../map/boxes-map.tsx";
import { boundsOfBbox } from "../../model/bounds.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { type ListedRegion, useSavedRegions } from "../../ui/call/use-saved-regions.ts";
import { Empty } from "../../ui/empty.tsx";
import { NamesOfPeople } from "../../ui/person.tsx";

export function Page() {
  const found = useSavedRegions();
  return (
    <section class="page">
      <div class="page-head">
        <h1>Regions</h1>
        {has("editor") && (
          <Link class="button primary" href="/regions/new">
            New region
          </Link>
        )}
      </div>
      <p class="muted">
        Areas with a name, by which the events of every catalogue are filtered, and by which imports
        and schedules ask agencies.
      </p>
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
    </section>
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
      <RegionsTable regions={regions} marked={marked} />
      <div>
        <BoxesMap boxes={boxes} marked={marked} onChosen={(id) => navigate(`/regions/${id}`)} />
      </div>
    </div>
  );
}
