import { type Draft, draftOf, putForeign } from "../shared/drafts.ts";
import type { EventLines, NotedLine, PhaseLine, Warn } from "./event-lines.ts";

/** Characters of a network's code, at most (QuakeML 1.2 BED, WaveformStreamID). */
const MAX_NETWORK = 8;

/**
 * Adds the lines of phase information to the drafts of the phases that they name. One that names none is
 * returned.
 */
export function addInformation(
  { phases, information }: EventLines,
  warn: Warn,
): readonly NotedLine[] {
  if (information.length === 0) return [];
  const waiting = new Map<unknown, PhaseLine[]>();
  for (const phase of phases.toReversed()) {
    const id = phase.drafts["line"]?.["id"];
    const same = waiting.get(id);
    if (same === undefined) waiting.set(id, [phase]);
    else same.push(phase);
  }
  return information.filter((one) => {
    const { id, network, ...said } = one.drafts["line"] ?? {};
    const phase = id === undefined ? undefined : waiting.get(id)?.pop();
    if (phase === undefined) {
      warn(one.line.number, "the phase of this information is not there; kept as foreign");
      return true;
    }
    const { drafts } = phase;
    merge(draftOf(drafts, "line"), said);
    for (const [object, draft] of Object.entries(one.drafts)) {
      if (object !== "line") merge(draftOf(drafts, object), draft);
    }
    if (network !== undefined) putNetwork(draftOf(drafts, "pick"), String(network));
    phase.comments.push(...one.comments);
    return false;
  });
}

function putNetwork(pick: Draft, network: string): void {
  if (network.length > MAX_NETWORK) putForeign(pick, "network", network);
  else merge(pick, { waveformID: { networkCode: network } });
}

/** Adds members, also those of inner objects; lists are joined. */
function merge(target: Draft, added: Draft): void {
  for (const [name, value] of Object.entries(added)) {
    const there = target[name];
    if (Array.isArray(value))
      target[name] = [...((there as unknown[] | undefined) ?? []), ...value];
    else if (typeof value === "object" && typeof there === "object") {
      merge(there as Draft, value as Draft);
    } else target[name] = value;
  }
}
