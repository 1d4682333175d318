import { describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { sharedService } from "../../support/service.ts";
import { omoriDelay, parkMiller, syntheticS3 } from "../../support/statistics/synthetic.ts";

const service = sharedService();
const editor = clientOf(service, "editor");

const MAIN = "2010-01-01T00:00:00Z";
const DAY_MS = 86_400_000;

/** S3 after its main event; every tenth aftershock is 200 km away. */
function sequence() {
  const main = seismicEvent({ time: MAIN, magnitude: 6, source_id: "main" });
  const later = syntheticS3().map((day, i) =>
    seismicEvent({
      time: new Date(Date.parse(MAIN) + day * DAY_MS).toISOString(),
      magnitude: 3,
      latitude: i % 10 === 0 ? -40.9 : -42.69,
    }),
  );
  return [main, ...later];
}

type Omori = {
  readonly parameters: object;
  readonly input: { readonly events: number };
  readonly estimate: Readonly<Record<string, number>> | null;
  readonly bins: readonly { readonly count: number }[];
  readonly warnings: readonly { readonly code: string }[];
};

describe("the decay of aftershocks", () => {
  test("has the parameters of Ogata's program for the synthetic sequence", async () => {
    const { id } = await createCatalogue(editor, { events: sequence() });
    const at = `/api/catalogues/${id}/analytics/omori`;
    const { body } = await editor.get<Omori>(`${at}?mainshock=${MAIN}&start=0&end=100`);
    const { K, sigmaK, c, sigmaC, p, sigmaP, lnL, n } = body.estimate ?? {};
    expect(n).toBe(500);
    expect(K).toBeCloseTo(66.212, 2);
    expect(sigmaK).toBeCloseTo(4.632, 2);
    expect(c).toBeCloseTo(0.039741, 4);
    expect(sigmaC).toBeCloseTo(0.01088, 4);
    expect(p).toBeCloseTo(1.07156, 4);
    expect(sigmaP).toBeCloseTo(0.03103, 4);
    expect(lnL).toBeCloseTo(1421.598, 2);
    expect(body.warnings.map(({ code }) => code)).toEqual(["EARLY_START"]);
    expect(body.bins.reduce((sum, { count }) => sum + count, 0)).toBe(500);
  });

  test("is of the events around the main event, which is none of them, up to the last by default", async () => {
    const { id } = await createCatalogue(editor, { events: sequence() });
    const at = `/api/catalogues/${id}/analytics/omori`;
    const found = await editor.get<{ events: { id: string; time: string }[] }>(
      `/api/catalogues/${id}/events/filtered?minMagnitude=6`,
    );
    const main = found.body.events[0]?.id ?? "";
    const { body } = await editor.get<Omori>(`${at}?mainshock=${main}&start=0&radiusKm=100`);
    expect(body.input.events).toBe(450);
    expect(body.estimate).toMatchObject({ n: 450 });
    const last = Math.max(...syntheticS3().filter((_, i) => i % 10 !== 0));
    expect(body.parameters).toEqual({
      mainshock: main,
      start: 0,
      radiusKm: 100,
      mainTime: "2010-01-01T00:00:00.000000Z",
      end: expect.closeTo(last, 6),
    });
    const until = await editor.get<Omori>(`${at}?mainshock=${main}&endTime=2010-01-11`);
    expect(until.body.parameters).toMatchObject({ start: 0.01, end: 10 });
    expect(until.body.warnings).toEqual([]);
  });

  test("of a long sequence is fitted in a thread, to the same law as a short one's", async () => {
    const draw = parkMiller(20_261_123);
    const days = Array.from({ length: 6000 }, () => omoriDelay(draw(), 0.05, 1.1, 100));
    const { id } = await createCatalogue(editor, {
      events: days.map((day) => ({
        ...seismicEvent(),
        time: new Date(Date.parse(MAIN) + Math.ceil(day * DAY_MS)).toISOString(),
      })),
    });
    const { body } = await editor.get<Omori>(
      `/api/catalogues/${id}/analytics/omori?mainshock=${MAIN}&start=0&end=101`,
    );
    const { n, c = 0, sigmaC = 0, p = 0, sigmaP = 0 } = body.estimate ?? {};
    expect(n).toBe(6000);
    expect(Math.abs(c - 0.05)).toBeLessThan(4 * sigmaC);
    expect(Math.abs(p - 1.1)).toBeLessThan(4 * sigmaP);
    expect(body.bins.reduce((sum, { count }) => sum + count, 0)).toBe(6000);
  });

  test("needs 30 aftershocks, and answers 200 without them", async () => {
    const { id } = await createCatalogue(editor, { events: sequence().slice(0, 30) });
    const { status, body } = await editor.get<Omori>(
      `/api/catalogues/${id}/analytics/omori?mainshock=${MAIN}&start=0`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ estimate: null, n: 29, required: 30 });
    expect(body.bins.reduce((sum, { count }) => sum + count, 0)).toBe(29);
    const empty = await editor.get<Omori>(
      `/api/catalogues/${id}/analytics/omori?mainshock=2020-01-01`,
    );
    expect(empty.body).toMatchObject({ estimate: null, n: 0, bins: [], input: { events: 0 } });
  });

  test("refuses main events that there are not, and windows that end before they begin", async () => {
    const { id } = await createCatalogue(editor);
    const at = `/api/catalogues/${id}/analytics/omori`;
    const unknown = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
    expectRefusal(await editor.get(at), "VALIDATION_ERROR");
    expectRefusal(await editor.get(`${at}?mainshock=yesterday`), "VALIDATION_ERROR");
    expectRefusal(await editor.get(`${at}?mainshock=${unknown}`), "NOT_FOUND");
    expectRefusal(await editor.get(`${at}?mainshock=${MAIN}&start=5&end=5`), "VALIDATION_ERROR");
    expectRefusal(await editor.get(`${at}?mainshock=${MAIN}&radiusKm=5`), "VALIDATION_ERROR");
  });
});
