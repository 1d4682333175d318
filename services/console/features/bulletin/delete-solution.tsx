import { useRef } from "preact/hooks";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { call } from "../../api/call.ts";
import { ask } from "../../ui/form/ask.ts";
import { unlessChanged } from "../../ui/form/attempts.ts";
import { REASON } from "../../ui/form/reason-field.tsx";
import { count, counted } from "../../ui/text/format.ts";
import type { BulletinProps } from "./read-bulletin.ts";

/** A solution that may be deleted. */
export type NamedSolution = {
  readonly kind: "origin" | "magnitude" | "focalMechanism";
  readonly publicID: string;
  /** "origin 2". */
  readonly name: string;
  readonly isPreferred: boolean;
};

/** Asks, with what goes too, and deletes a solution of an event. */
export function useDeletion({ catalogueId, event, tag, reload }: BulletinProps) {
  const latest = useRef(tag);
  latest.current = tag;
  /** @param isCut whether the bulletin is here without its arrivals and station magnitudes */
  return (solution: NamedSolution, bulletin: Bulletin, isCut: boolean) => {
    const { kind, publicID, name, isPreferred } = solution;
    const goes = goesWith(bulletin, solution);
    const params = { id: catalogueId, eventId: event.id, kind, publicID };
    ask({
      title: `Delete ${name}`,
      text: (
        <>
          {goes.length > 0 ? (
            <>
              <p>With it go, because they are nothing without it:</p>
              <ul>
                {goes.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </>
          ) : (
            <p>Nothing else goes with it.</p>
          )}
          {isCut && kind !== "focalMechanism" && <p>So do its arrivals and station magnitudes.</p>}
          {isPreferred && (
            <p>
              It is the preferred one: the event then shows what the rules choose of the others.
            </p>
          )}
          <p class="muted">Picks and amplitudes stay, and so do earlier versions.</p>
        </>
      ),
      fields: { reason: REASON },
      action: "Delete",
      of: () => latest.current,
      run: (options, query) =>
        unlessChanged(
          call(
            "DELETE /api/catalogues/:id/events/:eventId/solutions/:kind/:publicID",
            { params, query: { cascade: "true", ...query } },
            { ...options, ifMatch: latest.current },
          ),
          reload,
        ),
      done: ({ version }) => `Deleted: ${name}, in version ${count(version)}`,
      after: reload,
    });
  };
}

/**
 * What is nothing without a solution, and goes with it: "12 arrivals", "2 magnitudes". The service's
 * rule (`services/domain/bulletin`), told beforehand.
 */
function goesWith(bulletin: Bulletin, { kind, publicID }: NamedSolution): readonly string[] {
  const { origin = [], magnitude = [], stationMagnitude = [], focalMechanism = [] } = bulletin;
  if (kind === "focalMechanism") {
    const tensors = focalMechanism.find((one) => one.publicID === publicID)?.momentTensor;
    return told([[tensors?.length, "moment tensor"]]);
  }
  if (kind === "magnitude") {
    const one = magnitude.find((other) => other.publicID === publicID);
    const contributions = one?.stationMagnitudeContribution?.length;
    return told([[contributions, "contribution of a station", "contributions of a station"]]);
  }
  const ofOrigin = (one: { readonly originID?: string }) => one.originID === publicID;
  const tensors = focalMechanism.flatMap(({ momentTensor = [] }) =>
    momentTensor.filter(({ derivedOriginID }) => derivedOriginID === publicID),
  );
  return told([
    [origin.find((one) => one.publicID === publicID)?.arrival?.length, "arrival"],
    [magnitude.filter(ofOrigin).length, "magnitude"],
    [stationMagnitude.filter(ofOrigin).length, "station magnitude"],
    [tensors.length, "moment tensor"],
  ]);
}

type Counted = readonly [number: number | undefined, noun: string, nouns?: string];

function told(counts: readonly Counted[]): readonly string[] {
  return counts.flatMap(([number = 0, ...nouns]) =>
    number === 0 ? [] : counted(number, ...nouns),
  );
}
