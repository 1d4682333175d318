import type { Client } from "pg";
import { z } from "zod";
import type { BenchService } from "../bench-service.ts";
import { openAsking } from "../reading/ask.ts";
import { type Result, within } from "../report.ts";
import { spreadOf } from "../statistics.ts";
import type { Filled } from "./fill.ts";

/** Answers a second, to one client, at 10,000,000 events. */
const PER_SECOND = { narrow: 150, newest: 840, circle: 20 } as const;
export type Question = keyof typeof PER_SECOND;

const ROUNDS = 10;
const PER_ROUND = 20;
/** Rounds before the first that counts: V8 compiles what is hot, PostgreSQL reads what it needs. */
const WARM_UP = 3;
/** A narrow query is as fast before as after an ANALYZE by hand. */
const FRESH_TARGET = 1.25;
const PLACES = PER_ROUND * (WARM_UP + ROUNDS);
const HALF_MONTH_MS = 15 * 86_400_000;

const Places = z.array(z.object({ time: z.date(), latitude: z.number(), longitude: z.number() }));
type Place = z.infer<typeof Places>[number];

/** Parameters of the event service around an event, which is among the answer's. */
export const QUESTIONS: Readonly<Record<Question, (place: Place) => string>> = {
  /** A month, one degree, magnitude 3 and more. */
  narrow: ({ time, latitude, longitude }) => {
    const dayOf = (offset: number): string =>
      new Date(time.getTime() + offset).toISOString().slice(0, 19);
    return (
      `starttime=${dayOf(-HALF_MONTH_MS)}&endtime=${dayOf(HALF_MONTH_MS)}&minmagnitude=3` +
      `&minlatitude=${latitude - 0.5}&maxlatitude=${latitude + 0.5}` +
      `&minlongitude=${longitude - 0.5}&maxlongitude=${longitude + 0.5}`
    );
  },
  newest: () => "limit=50",
  /** 30 km, magnitude 3 and more. */
  circle: ({ latitude, longitude }) =>
    `latitude=${latitude}&longitude=${longitude}&maxradiuskm=30&minmagnitude=3`,
};

/** Where events of magnitude 3 and more are, in no order that a filter has. */
export async function placesOf(database: Client, id: string): Promise<readonly Place[]> {
  const { rows } = await database.query(
    `select time, latitude, longitude from read_model.seismic_events
     where catalogue_key = (select key from read_model.catalogues where id = $1)
       and magnitude >= 3 and longitude between 160 and 179
     order by event_id limit $2`,
    [id, PLACES],
  );
  return Places.parse(rows);
}

/** Milliseconds of an answer as text, the mean of each round. */
async function roundsOf({ url, token, database }: BenchService, id: string, question: Question) {
  const places = await placesOf(database, id);
  const asking = openAsking(url, token);
  const base = `/api/catalogues/${id}/fdsnws/event/1/query?format=text`;
  const times: number[] = [];
  try {
    for (const place of places) {
      times.push((await asking.ask(`${base}&${QUESTIONS[question](place)}`)).milliseconds);
    }
  } finally {
    asking.close();
  }
  return Array.from({ length: ROUNDS }, (_, round) => {
    const from = (WARM_UP + round) * PER_ROUND;
    return times.slice(from, from + PER_ROUND).reduce((sum, each) => sum + each, 0) / PER_ROUND;
  });
}

/** What one client asks the event service; only the large catalogue has targets. */
export async function questionsOf(
  bench: BenchService,
  { id, events }: Filled,
  isLarge: boolean,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const question of Object.keys(PER_SECOND) as Question[]) {
    const perSecond = PER_SECOND[question];
    const result = within(1_000 / perSecond, await roundsOf(bench, id, question));
    results.push({
      case: `event service, ${question}, one client`,
      size: `${events} events`,
      unit: "ms",
      ...result,
      yardstick: `${perSecond} a second`,
      target: isLarge ? result.target : null,
    });
  }
  return results;
}

/** A narrow query of a catalogue that was just filled. Afterwards its rows are known as those of one at rest are. */
export async function freshStatistics(
  bench: BenchService,
  { id, events }: Filled,
): Promise<Result> {
  const before = spreadOf(await roundsOf(bench, id, "narrow"));
  await bench.database.query("vacuum (analyze) read_model.seismic_events");
  const after = spreadOf(await roundsOf(bench, id, "narrow"));
  return {
    case: "narrow query as soon as all is visible",
    size: `${events} events`,
    unit: "ms",
    yardstick: "after an ANALYZE by hand",
    ours: before,
    yardstickFigure: after,
    ratio: before.median / after.median,
    target: FRESH_TARGET,
  };
}
