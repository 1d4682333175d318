import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { type Inclusion, NO_INCLUSION } from "#contracts/fdsn/query.ts";
import { closedAnswer, nothingLeftOut, shownSolutions } from "#infra/formats/bulletin/parts.ts";
import { anyBulletin } from "../../support/bulletins/any-bulletin.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { runs } from "../../support/runs.ts";
import { countsIn, danglingIn, objectsIn } from "./references.ts";

const FLAGS = Object.keys(NO_INCLUSION) as (keyof Inclusion)[];

function answered(bulletin: Bulletin, wanted: Partial<Inclusion>) {
  const leftOut = nothingLeftOut();
  const inclusion = { ...NO_INCLUSION, ...wanted };
  const answer = closedAnswer(bulletin, shownSolutions(bulletin), inclusion, leftOut);
  return { answer, leftOut };
}

const answerOf = (bulletin: Bulletin, wanted: Partial<Inclusion> = {}) =>
  answered(bulletin, wanted).answer;

function kindsOf(answer: Bulletin) {
  const counts = countsIn(answer);
  const { Origin, Magnitude, Arrival, Pick, Amplitude, StationMagnitude, Comment } = counts;
  return {
    Origin,
    Magnitude,
    Arrival,
    Pick,
    Amplitude,
    StationMagnitude,
    Contribution: counts["StationMagnitudeContribution"],
    Comment,
  };
}

describe("a closed answer", () => {
  test.each<[Partial<Inclusion>, Partial<ReturnType<typeof kindsOf>>]>([
    [{}, {}],
    [{ allOrigins: true }, { Origin: 2 }],
    [{ allMagnitudes: true }, { Origin: 2, Magnitude: 2 }],
    [{ arrivals: true }, { Arrival: 1, Pick: 1 }],
    [
      { arrivals: true, allMagnitudes: true },
      { Origin: 2, Magnitude: 2, Arrival: 2, Pick: 2 },
    ],
    [{ picks: true }, { Pick: 2 }],
    [{ amplitudes: true }, { Amplitude: 1, Pick: 1 }],
    [{ stationMagnitudes: true }, { StationMagnitude: 1, Contribution: 1, Amplitude: 1, Pick: 1 }],
    [{ comments: true }, { Comment: 1 }],
  ])("a closed answer with %j has what the row shows and %j", (wanted, more) => {
    expect(kindsOf(answerOf(smallBulletin(), wanted))).toEqual({
      Origin: 1,
      Magnitude: 1,
      ...more,
    });
  });

  test("a closed answer with everything is the bulletin", () => {
    const bulletin: Bulletin = {
      ...smallBulletin(),
      foreign: [{ ns: "urn:x", name: "note", text: "kept" }],
    };
    const { answer, leftOut } = answered(bulletin, { everything: true });
    expect(answer).toEqual(bulletin);
    expect([leftOut.references.size, leftOut.objects.size]).toEqual([0, 0]);
  });

  test("foreign elements are in a closed answer with everything only", () => {
    const [origin] = smallBulletin().origin ?? [];
    const bulletin = {
      ...smallBulletin(),
      origin: [{ ...origin, foreign: [{ ns: "urn:x", name: "flag", attribute: true, text: "1" }] }],
    } as unknown as Bulletin;
    expect(answerOf(bulletin, { allOrigins: true }).origin?.[0]).not.toHaveProperty("foreign");
    expect(answerOf(bulletin, { everything: true }).origin?.[0]).toHaveProperty("foreign");
  });

  test("references that lead nowhere are left out and counted, an arrival without pick whole", () => {
    const { pick: _, ...bulletin } = smallBulletin();
    const { answer, leftOut } = answered(bulletin, { everything: true });
    expect(kindsOf(answer)).toMatchObject({ Origin: 2, Amplitude: 1, StationMagnitude: 1 });
    expect(answer.amplitude?.[0]).not.toHaveProperty("pickID");
    expect([...leftOut.references]).toEqual([["pickID", 1]]);
    expect([...leftOut.objects]).toEqual([["Arrival", 2]]);
  });

  test("a station magnitude without its origin is left out, and what it contributes to", () => {
    const bulletin = smallBulletin();
    const stray = bulletin.stationMagnitude?.map((one) => ({ ...one, originID: "smi:no/where" }));
    const { answer, leftOut } = answered(
      { ...bulletin, stationMagnitude: stray ?? [] },
      {
        stationMagnitudes: true,
      },
    );
    expect(answer).not.toHaveProperty("stationMagnitude");
    expect(answer.magnitude?.[0]).not.toHaveProperty("stationMagnitudeContribution");
    expect(Object.fromEntries(leftOut.objects)).toEqual({
      StationMagnitude: 1,
      StationMagnitudeContribution: 1,
    });
  });

  test("a closed answer names what the row shows, whatever the bulletin prefers", () => {
    const bulletin = { ...smallBulletin(), preferredOriginID: "smi:no/where" };
    const { preferredMagnitudeID: _, ...without } = bulletin;
    const answer = answerOf(without);
    expect(answer.preferredOriginID).toBe(bulletin.origin?.[0]?.publicID);
    expect(answer.preferredMagnitudeID).toBe(bulletin.magnitude?.[0]?.publicID);
  });

  test("objects that refer to each other in a circle are in a closed answer once", () => {
    const [origin] = smallBulletin().origin ?? [];
    const tensor = {
      publicID: "smi:a/t",
      derivedOriginID: "smi:a/o",
      momentMagnitudeID: "smi:a/m",
    };
    const bulletin = {
      publicID: "smi:a/e",
      origin: [{ ...origin, publicID: "smi:a/o", arrival: undefined }],
      magnitude: [{ publicID: "smi:a/m", mag: { value: 5 }, originID: "smi:a/o" }],
      focalMechanism: [
        { publicID: "smi:a/f", triggeringOriginID: "smi:a/o", momentTensor: [tensor] },
      ],
    } as unknown as Bulletin;
    expect(countsIn(answerOf(bulletin))).toMatchObject({
      Origin: 1,
      Magnitude: 1,
      MomentTensor: 1,
    });
  });

  test("every reference of any closed answer leads to an object in it, whatever is wanted", () => {
    const anyInclusion = fc.record(
      Object.fromEntries(FLAGS.map((flag) => [flag, fc.boolean()])),
    ) as unknown as fc.Arbitrary<Inclusion>;
    fc.assert(
      fc.property(anyBulletin, anyInclusion, (bulletin, inclusion) => {
        const answer = answerOf(bulletin, inclusion);
        expect(danglingIn(answer)).toEqual([]);
        expect(bulletin.origin ?? []).toHaveLength(
          inclusion.everything || inclusion.allOrigins
            ? (answer.origin?.length ?? 0)
            : (bulletin.origin?.length ?? 0),
        );
      }),
      { numRuns: runs(200, 1 / 10) },
    );
  });

  test("what any closed answer leaves out of everything is what it counts", () => {
    fc.assert(
      fc.property(anyBulletin, (bulletin) => {
        const { answer, leftOut } = answered(bulletin, { everything: true });
        const given = [...objectsIn(bulletin as never)].length;
        const left = [...leftOut.objects.values()].reduce((sum, count) => sum + count, 0);
        expect(left === 0).toBe([...objectsIn(answer as never)].length === given);
      }),
      { numRuns: runs(200, 1 / 10) },
    );
  });

  test("a bulletin of 100,000 amplitudes with one id is answered at once", () => {
    const amplitude = {
      publicID: "smi:a/one",
      genericAmplitude: { value: 1 },
      pickID: "smi:a/one",
    };
    const bulletin = {
      ...smallBulletin(),
      amplitude: Array.from({ length: 100_000 }, () => ({ ...amplitude })),
    };
    expect(answerOf(bulletin, { amplitudes: true }).amplitude).toHaveLength(100_000);
  });
});
