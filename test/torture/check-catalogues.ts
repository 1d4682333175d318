import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { eventLine, type Ledger, type LedgerCatalogue } from "./ledger.ts";

type Listed = { catalogues: Catalogue[] };
type Page = {
  events: { time: string; magnitude: number }[];
  pagination: { nextCursor: string | null };
};

/**
 * Every acknowledged catalogue is there as it was acknowledged, with exactly its events; none is
 * half made, none is there that nobody made, none that was deleted.
 * @returns what is wrong
 */
export async function checkCatalogues(client: ApiClient, ledger: Ledger): Promise<string[]> {
  const losses: string[] = [];
  const shown = new Map((await listAll(client)).map((catalogue) => [catalogue.id, catalogue]));
  for (const [id, { name, status }] of shown) {
    if (!ledger.catalogues.has(id)) losses.push(`catalogue ${name} (${status}) is nobody's: ${id}`);
  }
  for (const expected of ledger.catalogues.values()) {
    const catalogue = shown.get(expected.id);
    if (catalogue === undefined) losses.push(`catalogue ${expected.id} is lost`);
    else losses.push(...(await compare(client, expected, catalogue)));
  }
  for (const id of ledger.deleted) {
    const { status } = await client.get(`/api/catalogues/${id}`);
    if (status !== 404) losses.push(`deleted catalogue ${id} answers ${status}`);
  }
  return losses;
}

async function listAll(client: ApiClient): Promise<Catalogue[]> {
  const all: Catalogue[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await client.get<Listed>(`/api/catalogues?pageSize=100&page=${page}`);
    all.push(...body.catalogues);
    if (body.catalogues.length < 100) return all;
  }
}

async function compare(
  client: ApiClient,
  { id, name, isPublic, events }: LedgerCatalogue,
  shown: Catalogue,
): Promise<string[]> {
  const wrong: string[] = [];
  if (shown.status !== "active") wrong.push(`catalogue ${id} is ${shown.status}`);
  if (shown.name !== name) wrong.push(`catalogue ${id} is called ${shown.name}, not ${name}`);
  if (shown.is_public !== isPublic) wrong.push(`catalogue ${id} is public: ${shown.is_public}`);
  if (shown.event_count !== events.size) {
    wrong.push(`catalogue ${id} counts ${shown.event_count} events, not ${events.size}`);
  }
  const there = (await walk(client, id)).toSorted();
  const expected = [...events.values()].toSorted();
  const differing = expected.findIndex((line, i) => line !== there[i]);
  if (there.length !== expected.length || differing >= 0) {
    const first = differing < 0 ? "" : `; first ${expected[differing]} against ${there[differing]}`;
    wrong.push(`catalogue ${id} has ${there.length} events of ${expected.length}${first}`);
  }
  return wrong;
}

async function walk(client: ApiClient, id: string): Promise<string[]> {
  const lines: string[] = [];
  let place = "pagination=cursor";
  while (place !== "") {
    const path = `/api/catalogues/${id}/events?limit=1000&${place}`;
    const { status, body } = await client.get<Page>(path);
    if (status !== 200) return [`answered ${status}`];
    lines.push(...body.events.map(eventLine));
    const { nextCursor } = body.pagination;
    place = nextCursor === null ? "" : `cursor=${nextCursor}`;
  }
  return lines;
}
