import { QUAKEML_EVENT_TYPES } from "../seismic-event/enumerations.ts";
import type { RawParameters } from "./raw-parameters.ts";
import { expected, listOf } from "./values.ts";

/** Event types as the standard spells them, and whether events without a type are meant as well. */
export type WantedEventTypes = { readonly values: string[]; readonly withUnknown: boolean };

const EVENT_TYPES: ReadonlySet<string> = new Set(QUAKEML_EVENT_TYPES);

/**
 * The wanted event types, null for all (`*`). `unknown` means events without a type. `earthquake`
 * includes them: agencies leave it out of most of their earthquakes, and ComCat's clients always ask
 * for earthquakes.
 * @throws ParameterFault for what is no QuakeML event type
 */
export function eventTypesOf(parameters: RawParameters): WantedEventTypes | null {
  const names = listOf(parameters, "eventtype")?.map((name) => name.toLowerCase());
  if (names === undefined || names.includes("*")) return null;
  const values = [...new Set(names)].filter((name) => name !== "unknown");
  if (!values.every((name) => EVENT_TYPES.has(name))) {
    throw expected("eventtype", "QuakeML event types, unknown or *");
  }
  return { values, withUnknown: names.includes("unknown") || names.includes("earthquake") };
}

/** The two types that differ in case only: body waves of short and of long period. */
export type BodyWaveType = "mb" | "mB";

/**
 * The wanted types of the preferred magnitude, in lower case, and the spelling that is not meant
 * although it is equal in lower case: `mB` where `mb` is wanted alone, and the other way round. In all
 * other types case does not matter, and a catalogue's `Mb` is found by either. Null for all types.
 * @throws ParameterFault
 */
export function magnitudeTypesOf(
  parameters: RawParameters,
): { readonly values: string[]; readonly except: BodyWaveType | null } | null {
  const names = listOf(parameters, "magnitudetype");
  if (names === null) return null;
  const [bodyWave, second] = names.filter((name) => name.toLowerCase() === "mb");
  const other = bodyWave === "mb" ? "mB" : bodyWave === "mB" ? "mb" : null;
  return {
    values: [...new Set(names.map((name) => name.toLowerCase()))],
    except: second === undefined ? other : null,
  };
}
