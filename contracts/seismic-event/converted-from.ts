import { OWN_AUTHORITY } from "./own-public-id.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./seismic-event.ts";

/** In `extra`: the magnitude that was converted, and by what. */
export const CONVERTED_FROM = "converted_from";

const METHOD = `${OWN_AUTHORITY}conversion/`;

/** What does not stand in an id. */
const UNSAFE = /[^\w.-]+/g;

/** The method's id of magnitudes that a conversion made. */
export function conversionMethod(name: string): string {
  return METHOD + name.replaceAll(UNSAFE, "-");
}

/** Whether a magnitude with this method's id was converted here: its row tells it by CONVERTED_FROM. */
export function isConversionMethod(id: string): boolean {
  return id.startsWith(METHOD);
}

/** The method's id of a row's magnitude that was converted; null for another. */
export function methodOfConverted(extra: JsonObject | null): string | null {
  const from: JsonValue | undefined = extra?.[CONVERTED_FROM];
  if (!isJsonObject(from)) return null;
  const { conversion } = from;
  return typeof conversion === "string" && conversion !== "" ? conversionMethod(conversion) : null;
}
