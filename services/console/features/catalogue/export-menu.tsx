import type { BulletinTable } from "#contracts/bulletin/table-columns.ts";
import type { ExportFormat } from "#contracts/http/catalogue-export.ts";
import { addressOf } from "../../api/call.ts";
import { user } from "../../api/session.ts";
import { share } from "../../api/share.ts";
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
  isf: "ISF",
  text: "FDSN text",
  parquet: "GeoParquet",
  arrow: "Arrow",
};

/** A file of what a format or a table has. */
type Choice = { readonly text: string; readonly query: Readonly<Record<string, string>> };

/** Each format; QuakeML is whole, or of the rows alone. */
const CHOICES: readonly Choice[] = Object.entries(FORMATS).flatMap(([format, text]) => [
  { text, query: { format } },
  ...(format === "quakeml"
    ? [{ text: "QuakeML, preferred solutions alone", query: { format, detail: "summary" } }]
    : []),
]);

/** What is beside the rows, a row for each object. */
const TABLES: readonly Choice[] = (
  [
    ["origins", "Origins"],
    ["magnitudes", "Magnitudes"],
    ["picks", "Picks"],
    ["arrivals", "Arrivals"],
  ] as const satisfies [BulletinTable, string][]
).map(([table, text]) => ({ text, query: { format: "csv", table } }));

type ExportMenuProps = {
  readonly catalogue: Catalogue;
  readonly state: WorkState;
  /** How many events pass the filters; null until it is known. */
  readonly passing: number | null;
};

/** The events that pass the filters, as a file. */
export function ExportMenu({ catalogue, state, passing }: ExportMenuProps) {
  if (share === null && !user.value) return <ForGuests />;
  const { id, version } = catalogue;
  const query = { asOf: version > 0 ? String(version) : undefined, ...apiQueryOf(state) };
  const linkTo = (choice: Choice) => (
    <li key={choice.text}>
      <a
        href={addressOf("GET /api/catalogues/:id/export", {
          params: { id },
          query: { ...choice.query, ...query },
        })}
        download
      >
        {choice.text}
      </a>
    </li>
  );
  return (
    <Menu text="Export">
      <li class="menu-text">Save {passing === null ? "these events" : events(passing)} as</li>
      {CHOICES.map(linkTo)}
      <li class="menu-text">Their solutions and picks as CSV</li>
      {TABLES.map(linkTo)}
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
