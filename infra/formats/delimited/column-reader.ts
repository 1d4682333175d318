import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
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
/** Magnitudes of −9 and below mean "none" (domain notes §6). */
const NO_MAGNITUDE = -9;

/** The reader of a column by what its name stands for; `splitDate`: dates have their own columns. */
export function columnReader(column: string, splitDate: boolean): CellReader {
  const meaning = columnMeaning(column);
  switch (meaning) {
    case null:
      return unknownCell;
    case "time":
    case "date":
      return timeCell(column, splitDate);
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
    case "magnitude":
      return numberCell({ ...ATTRIBUTES.magnitude, column, missingFrom: NO_MAGNITUDE });
    default:
      return attributeReader(column, ATTRIBUTES[meaning]);
  }
}

function attributeReader(column: string, attribute: Attribute): CellReader {
  switch (attribute.kind) {
    case "number":
    case "integer":
      return numberCell({ ...attribute, column });
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
