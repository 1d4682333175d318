import type { ExportFormat } from "#contracts/http/catalogue-export.ts";
import { addressOf } from "../../api/call.ts";
import { user } from "../../api/session.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { apiQueryOf, type WorkState } from "../../model/work-state.ts";
import { hereAsNext } from "../../ui/call/next-address.ts";
import { Menu } from "../../ui/menu.tsx";
import { events } from "../../ui/text/format.ts";

const FORMATS: Readonly<Record<ExportFormat, string>> = {
  csv: "CSV",
  json: "JSON",
  geojson: "GeoJSON",
  kml: "KML",
  quakeml: "QuakeML",
  text: "FDSN text",
  parquet: "GeoParquet",
  arrow: "Arrow",
};

type ExportMenuProps = {
  readonly catalogue: Catalogue;
  readonly state: WorkState;
  /** How many events pass the filters; null until it is known. */
  readonly passing: number | null;
};

/** The events that pass the filters, as a file. */
export function ExportMenu({ catalogue, state, passing }: ExportMenuProps) {
  if (!user.value) return <ForGuests />;
  const { id, version } = catalogue;
  const query = { asOf: version > 0 ? String(version) : undefined, ...apiQueryOf(state) };
  return (
    <Menu text="Export">
      <li class="menu-text">Save {passing === null ? "these events" : events(passing)} as</li>
      {Object.entries(FORMATS).map(([format, text]) => (
        <li key={format}>
          <a
            href={addressOf("GET /api/catalogues/:id/export", {
              params: { id },
              query: { format, ...query },
            })}
            download
          >
            {text}
          </a>
        </li>
      ))}
    </Menu>
  );
}

function ForGuests() {
  return (
    <Menu text="Export">
      <li class="menu-text">
        With an account you save these events as {Object.values(FORMATS).join(", ")}.
      </li>
      <li>
        <a href={`/login${hereAsNext()}`}>Sign in</a>
      </li>
      <li>
        <a href="/register">Register</a>
      </li>
    </Menu>
  );
}
