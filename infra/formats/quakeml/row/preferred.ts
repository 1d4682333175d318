import { chosenMagnitude, chosenOrigin } from "#contracts/bulletin/preferred-rule.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { decimalNumber } from "../../decimal-number.ts";
import { isOwnEvent } from "./agency-ids.ts";
import { childOf, childrenOf, type Members, numberOf, textOf } from "./members.ts";

/** The preferred origin of an event (`chosenOrigin`). */
export function preferredOrigin(
  event: Members,
  origins: readonly Members[],
  mechanisms: readonly Members[],
): Members | undefined {
  const centroids = new Set(
    mechanisms.flatMap((mechanism) =>
      childrenOf(mechanism, "momentTensor").map((tensor) => textOf(tensor, "derivedOriginID")),
    ),
  );
  const choices = origins.map((origin) => ({
    of: origin,
    publicID: textOf(origin, "publicID"),
    evaluationStatus: textOf(origin, "evaluationStatus"),
    created: () => createdAt(origin),
  }));
  return chosenOrigin(choices, textOf(event, "preferredOriginID"), centroids);
}

/**
 * The preferred magnitude of an event (`chosenMagnitude`). One that is no number, as SeisComP writes, is
 * chosen only without another. An event that our writer made names the one that its row had, or had none.
 */
export function preferredMagnitude(
  event: Members,
  all: readonly Members[],
  origin: Members,
  warn: (message: string) => void,
): Members | undefined {
  const id = textOf(event, "preferredMagnitudeID");
  if (id === undefined && isOwnEvent(event)) return undefined;
  const numbers = all.filter(isKnown);
  const magnitudes = numbers.length > 0 ? numbers : all;
  if (find(magnitudes, id) === undefined && find(all, id) !== undefined) {
    warn("the preferred magnitude is not a number; another of the event's is taken");
  }
  const choices = magnitudes.map((magnitude) => ({
    of: magnitude,
    publicID: textOf(magnitude, "publicID"),
    originID: textOf(magnitude, "originID"),
    type: textOf(magnitude, "type"),
    stations: Number(textOf(magnitude, "stationCount")) || 0,
  }));
  return chosenMagnitude(choices, id, textOf(origin, "publicID"));
}

function isKnown(magnitude: Members): boolean {
  const value = numberOf(childOf(magnitude, "mag"), "value");
  if (typeof value !== "string") return value !== undefined;
  return Number.isFinite(decimalNumber(value, 0));
}

/** The focal mechanisms, with the preferred one first and the others in document order. */
export function preferredFirst(event: Members, mechanisms: readonly Members[]): readonly Members[] {
  const preferred = find(mechanisms, textOf(event, "preferredFocalMechanismID"));
  if (preferred === undefined || preferred === mechanisms[0]) return mechanisms;
  return [preferred, ...mechanisms.filter((mechanism) => mechanism !== preferred)];
}

function find(nodes: readonly Members[], id: string | undefined): Members | undefined {
  return id === undefined ? undefined : nodes.find((node) => textOf(node, "publicID") === id);
}

function createdAt(origin: Members): string | null {
  return parseTime(textOf(childOf(origin, "creationInfo"), "creationTime") ?? "");
}
