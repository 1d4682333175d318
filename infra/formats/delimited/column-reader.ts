import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { isUnknownAtZero } from "../unknown-numbers.ts";
import type { MeantColumn } from "./columns.ts";
import { type NumberColumn, numberCell } from "./number-cell.ts";
import type { CellReader } from "./row-notebook.ts";
import { scedcMagnitudeType } from "./scedc.ts";
import {
  codeCell,
  enumerationCell,
  eventTypeCell,
  structureCell,
  textCell,
  timeCell,
  unknownCell,
} from "./text-cells.ts";

/** Length limit of texts whose attribute has none of its own. */
const DEFAULT_LENGTH = 255;
/** Uploads may use longitudes of −180 to 180 or of 0 to 360. */
const MAX_LONGITUDE = 360;

/** Properties of a file that all its columns share. */
export type TableTraits = {
  /** Dates have separate columns. */
  readonly splitDate: boolean;
  /** 0 stands for an unknown uncertainty, RMS or gap. */
  readonly zeroIsUnknown: boolean;
  /** Foreign columns with codes that look like numbers. */
  readonly codes: ReadonlySet<string>;
  readonly isScedc: boolean;
};

/** The reader for the cells of a column, by the column's meaning. */
export function columnReader(
  column: string,
  { meaning, places }: MeantColumn,
  traits: TableTraits,
): CellReader {
  switch (meaning) {
    case null:
      return traits.codes.has(column) ? codeCell : unknownCell;
    case "time":
    case "date":
      return timeCell(column, traits.splitDate);
    case "part":
      return numberCell({ column });
    case "focal_mechanisms":
    case "extra":
    case "source_events":
      return structureCell(column);
    case "event_type":
      return eventTypeCell(column);
    case "longitude":
      return numberCell({ ...ATTRIBUTES.longitude, column, max: MAX_LONGITUDE });
    case "depth":
      return numberCell({ ...depthIn(places), column, attribute: meaning });
    case "magnitude_type":
      return traits.isScedc ? scedcMagnitudeType(column) : attributeReader(column, meaning, traits);
    default:
      return attributeReader(column, meaning, traits);
  }
}

/** Without a unit in its name the column is read as kilometres; very large values get a warning. */
function depthIn(places: number): Omit<NumberColumn, "column"> {
  const { min, max, unit } = ATTRIBUTES.depth;
  if (places === 0) return { min, max, unit, suspectFrom: max };
  return { min: min * 10 ** -places, max: max * 10 ** -places, unit: "m" };
}

function attributeReader(
  column: string,
  name: AttributeName,
  { zeroIsUnknown }: TableTraits,
): CellReader {
  const attribute: Attribute = ATTRIBUTES[name];
  switch (attribute.kind) {
    case "number":
    case "integer": {
      const unknownAtZero = zeroIsUnknown && isUnknownAtZero(name);
      return numberCell({ ...attribute, column, attribute: name, unknownAtZero });
    }
    case "text":
      return textCell(column, attribute.maxLength ?? DEFAULT_LENGTH);
    case "enumeration":
      return enumerationCell(column, attribute.values ?? []);
  }
}
