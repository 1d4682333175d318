import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { isUnknownAtZero } from "../unknown-at-zero.ts";
import { columnMeaning } from "./column-meaning.ts";
import { numberCell } from "./number-cell.ts";
import type { CellReader } from "./row-notes.ts";
import {
  enumerationCell,
  eventTypeCell,
  structureCell,
  textCell,
  timeCell,
  unknownCell,
} from "./text-cells.ts";

/** Upload takes longitudes of both conventions (contract §4). */
const MAX_LONGITUDE = 360;

/** What all columns of a file have in common. */
export type TableTraits = {
  /** Dates have columns of their own. */
  readonly splitDate: boolean;
  /** 0 stands for "not known" in uncertainties and their like. */
  readonly zeroIsUnknown: boolean;
};

/** The reader of a column by what its name stands for. */
export function columnReader(column: string, traits: TableTraits): CellReader {
  const meaning = columnMeaning(column);
  switch (meaning) {
    case null:
      return unknownCell;
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
    default:
      return attributeReader(column, meaning, traits);
  }
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
      return textCell;
    case "enumeration":
      return enumerationCell(column, attribute.values ?? []);
    default: {
      const unknown: never = attribute.kind;
      throw new Error(`unknown kind of attribute: ${unknown}`);
    }
  }
}
