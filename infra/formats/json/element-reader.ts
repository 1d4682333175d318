import { type Field, meaningOf } from "#contracts/seismic-event/input-names.ts";
import {
  isPickTarget,
  type NamedColumns,
  targetOf,
} from "#contracts/seismic-event/named-columns.ts";
import { isJsonObject, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { FileSense } from "../file-sense.ts";
import type { ReadResult, RowSink } from "../format-reader.ts";
import { EXPORT_FIELDS } from "../format-writer.ts";
import { rowBeside, takeBulletin } from "./bulletin-member.ts";
import { csepMembers } from "./csep.ts";
import { restoreNumbers } from "./exact-members.ts";
import { featureMembers, isFeature } from "./feature-members.ts";
import { fitExtra } from "./fit-extra.ts";
import type { ElementPlace } from "./open-element.ts";
import { parseElement } from "./parse-element.ts";
import { isTimePart } from "./row-plan.ts";
import { createRowReader } from "./row-reader.ts";

/** Above any real file. */
const MAX_NAMES = 1000;

const EXPECTED =
  "is no event: expected a list of events, an object with such a list as its member events, " +
  "CSEP's list catalog, a GeoJSON FeatureCollection or Feature, an event, or one event on each line";

type Warn = (message: string) => void;

/** Makes rows of the elements of a document, each of them an event as JSON, GeoJSON or CSEP has it. */
export function createElementReader(sink: RowSink, columns: NamedColumns, sense: FileSense) {
  const rows = createRowReader(columns, sense);
  const fieldOf = createFieldMemory(columns);
  const columnsOfRows = createRowColumns();
  let hasFeatures = false;

  function readObject(value: JsonObject, length: number, line: number, place: ElementPlace): void {
    const warn = (message: string) => sink.warning(line, message);
    const members = isFeature(value) ? membersOf(value, line, warn) : value;
    if (members === null) return;
    const { bulletin, members: others } = takeBulletin(members);
    const row = rows.read(others, warn);
    if (row === null) {
      sink.error(line, place === "document" ? EXPECTED : "holds nothing of an event");
      return;
    }
    fitExtra(row, length, warn);
    const whole = bulletin === null ? row : rowBeside({ members: others, bulletin }, row, warn);
    if (typeof whole === "string") {
      sink.error(line, whole);
      return;
    }
    columnsOfRows.add(whole);
    sink.row(whole, line);
  }

  function membersOf(feature: JsonObject, line: number, warn: Warn): JsonObject | null {
    hasFeatures = true;
    const result = featureMembers(feature, fieldOf, warn);
    if (result.ok) return result.members;
    sink.error(line, result.message);
    return null;
  }

  return {
    read(text: string, line: number, place: ElementPlace): void {
      const element = parseElement(text);
      if (!element.ok) {
        sink.error(line, element.message);
        return;
      }
      for (const warning of element.warnings) sink.warning(line, warning);
      const { value } = element;
      const row = place === "catalog" && Array.isArray(value) ? csepMembers(value) : null;
      if (typeof row === "string") sink.error(line, row);
      else if (row !== null) readObject(row, text.length, line, place);
      else if (!isJsonObject(value)) sink.error(line, "is no object");
      else readObject(restoreNumbers(value, element.text), text.length, line, place);
    },
    hasFeatures: () => hasFeatures,
    /** Whether there are rows, and none of their members is a magnitude. */
    lacksMagnitude: () => columnsOfRows.hasRows() && !rows.hasMagnitude(),
    /** The names of the rows, and what else the file calls its members. */
    names: () => columnsOfRows.names(rows.names()),
  };
}

/** Which columns a table of the rows has, and which of them are empty. */
function createRowColumns() {
  const occurred = new Set<string>();
  const filled = new Set<string>();
  return {
    add(row: JsonObject): void {
      for (const name in row) {
        occurred.add(name);
        if (row[name] !== null) filled.add(name);
      }
    },
    hasRows: () => occurred.size > 0,
    /** @param all what the file calls its members */
    names(all: readonly string[]): Pick<ReadResult, "headers" | "members" | "empty"> {
      const headers = EXPORT_FIELDS.filter((name) => occurred.has(name));
      const empty = headers.filter((name) => !filled.has(name));
      const members = all.filter((name) => !occurred.has(name));
      return {
        headers,
        ...(empty.length > 0 && { empty }),
        ...(members.length > 0 && { members }),
      };
    },
  };
}

/** Finds the field for a name, with a cache: all Features of a file have the same names. */
function createFieldMemory(columns: NamedColumns): (name: string) => Field | null {
  const fields = new Map<string, Field | null>();
  return (name) => {
    let field = fields.get(name);
    if (field === undefined) {
      const target = targetOf(columns, name) ?? null;
      const isField = target !== null && !isTimePart(target) && !isPickTarget(target);
      field = isField ? target : (meaningOf(name)?.field ?? null);
      if (fields.size >= MAX_NAMES) fields.clear();
      fields.set(name, field);
    }
    return field;
  };
}
