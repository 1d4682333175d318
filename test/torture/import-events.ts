import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { type Action, type ActionDeps, acknowledged } from "./action.ts";
import { eventLine, type LedgerCatalogue } from "./ledger.ts";

type Imported = { catalogueId: string; totalFetched: number };

const MOST_DAYS = 300;
const DAY_MS = 86_400_000;

/** Imports what the agency has of some months: into a new catalogue, or into one imported before. */
export const importEvents: Action = async (deps) => {
  const { ledger, own, random, token } = deps;
  const into = random() < 0.5 ? own.find(({ name }) => name.startsWith("imported ")) : undefined;
  const name = `imported ${Math.floor(random() * 1e9)}`;
  const window = someMonths(deps);
  const body = {
    ...window,
    ...(into ? { catalogueId: into.id } : { catalogueName: name }),
    detail: random() < 0.5 ? "summary" : "full",
  };
  const call = { method: "POST", path: "/api/import/agency", body, token } as const;
  const answer = await acknowledged<Imported>(deps, call, ({ status }) => status === 200);
  const catalogue = into ?? imported(answer.body.catalogueId, name);
  const [start, end] = [timeToMicros(window.startDate), timeToMicros(window.endDate)];
  for (const { row } of deps.agency.events()) {
    const { source_id, time, magnitude } = row;
    const micros = timeToMicros(String(time));
    if (micros < start || micros > end) continue;
    catalogue.events.set(String(source_id), eventLine({ time, magnitude }));
  }
  if (into) return;
  ledger.catalogues.set(catalogue.id, catalogue);
  own.push(catalogue);
};

/** A window that begins at an event. */
function someMonths({ agency, random }: ActionDeps): { startDate: string; endDate: string } {
  const events = agency.events();
  const first = events[Math.floor(random() * events.length)];
  const startMs = Date.parse(String(first?.row["time"]));
  const endMs = startMs + random() * MOST_DAYS * DAY_MS;
  return { startDate: new Date(startMs).toISOString(), endDate: new Date(endMs).toISOString() };
}

function imported(id: string, name: string): LedgerCatalogue {
  return { id, name, isPublic: false, events: new Map(), versions: new Map() };
}
