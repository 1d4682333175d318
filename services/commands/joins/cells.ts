import { normaliseName } from "#contracts/seismic-event/input-names.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";

/** The values of a row, those kept under `extra` too, by names compared as names of columns are. */
export type Cells = {
  /** The value under the first of the names that has one. */
  readonly value: (...names: readonly string[]) => JsonValue | undefined;
  readonly number: (...names: readonly string[]) => number | null;
  readonly text: (...names: readonly string[]) => string | null;
};

export function cellsOf(row: JsonObject): Cells {
  const values = new Map<string, JsonValue>();
  const add = (members: JsonObject): void => {
    for (const [name, value] of Object.entries(members)) {
      if (value === null || value === "" || typeof value === "object") continue;
      const normalised = normaliseName(name);
      if (!values.has(normalised)) values.set(normalised, value);
    }
  };
  add(row);
  const { extra } = row;
  if (isJsonObject(extra)) add(extra);

  const value: Cells["value"] = (...names) => {
    const name = names.find((one) => values.has(one));
    return name === undefined ? undefined : values.get(name);
  };
  return {
    value,
    number(...names) {
      const found = value(...names);
      const number = typeof found === "string" && found.trim() !== "" ? Number(found) : found;
      return typeof number === "number" && Number.isFinite(number) ? number : null;
    },
    text(...names) {
      const found = value(...names);
      const text = found === undefined ? "" : String(found).trim();
      return text === "" ? null : text;
    },
  };
}
