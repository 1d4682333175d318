import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { type ApiAnswer, createApiClient } from "../api-client.ts";
import type { TestService } from "../service.ts";
import { MATRIX, type Subjects } from "./matrix.ts";
import { call } from "./subjects.ts";

export const LIMIT_MS = 10_000;

/** What is answered without a look into the database: a guest has no session to look for. */
const WITHOUT_DATABASE: ReadonlySet<string> = new Set([
  ...["getHealth", "getHealth of a guest", "getOpenApi of a guest", "getMetrics of a guest"],
  ...["getSession of a guest", "getSettings of a guest", "logout of a guest"],
  ...["listConversions of a guest", "getOgcLanding of a guest", "getOgcDefinition of a guest"],
  "getOgcConformance of a guest",
]);

/**
 * What is refused without one: nothing is to be set up here, there is no institute, and a socket is asked for
 * no upgrade.
 */
const REFUSED_AT_ONCE: Readonly<Record<string, number>> = {
  "loadSetupSample of a guest": 404,
  "createFirstAdministrator of a guest": 404,
  "beginOpenId of a guest": 404,
  "finishOpenId of a guest": 404,
  "joinOpenId of a guest": 404,
  "followCataloguesBySocket of a guest": 400,
};

export type Timed = { readonly name: string; readonly ms: number; readonly answer: ApiAnswer };

const NO_ANSWER: ApiAnswer = { status: 0, headers: new Headers(), body: null };

export async function timed(name: string, asked: Promise<ApiAnswer>): Promise<Timed> {
  const begun = performance.now();
  const late = delay(1.5 * LIMIT_MS, NO_ANSWER, { ref: false });
  const answer = await Promise.race([asked.catch(() => NO_ANSWER), late]);
  return { name, ms: performance.now() - begun, answer };
}

/** Every operation of the table, as an administrator and, where guests may call it, as a guest. */
export function callAll(
  service: TestService,
  token: string,
  subjects: Subjects,
  without: readonly string[] = [],
): Promise<Timed[]> {
  const [admin, guest] = [createApiClient(service.url, token), createApiClient(service.url)];
  const rows = Object.entries(MATRIX).filter(([name]) => !without.includes(name));
  const calls = rows.flatMap(([name, { level, request }]) => [
    timed(name, call(admin, request(subjects))),
    ...(level === "public" ? [timed(`${name} of a guest`, call(guest, request(subjects)))] : []),
  ]);
  return Promise.all(calls);
}

export function lateOf(all: readonly Timed[]): string[] {
  return all.filter(({ ms }) => ms >= LIMIT_MS).map(({ name, ms }) => `${name}: ${ms} ms`);
}

/** By 500 `DATABASE_ERROR`, also as text, by registration's own sentence, or by 503, within 10 s. */
export function expectAnswered(all: readonly Timed[]): void {
  expect(lateOf(all)).toEqual([]);
  const others = all.filter(({ name, answer }) => {
    if (WITHOUT_DATABASE.has(name)) return answer.status !== 200;
    if (name in REFUSED_AT_ONCE) return answer.status !== REFUSED_AT_ONCE[name];
    return !isOfDatabase(name, answer);
  });
  expectNone(others);
}

/** As expectAnswered, or by what needs no lost part: nothing else is a fault, nothing is late. */
export function expectRefusedInTime(all: readonly Timed[]): void {
  expect(lateOf(all)).toEqual([]);
  expect(all.some(({ answer }) => answer.status === 500)).toBe(true);
  const isFault = ({ status }: ApiAnswer) => status === 0 || status >= 500;
  expectNone(all.filter(({ name, answer }) => isFault(answer) && !isOfDatabase(name, answer)));
}

function isOfDatabase(name: string, { status, body }: ApiAnswer): boolean {
  if (status === 503) return true;
  if (typeof body === "string") {
    return /^Error 500: .*\n\nA database error occurred\n/.test(body);
  }
  const { code, error } = (body ?? {}) as { code?: string; error?: string };
  const isRegistration = name.startsWith("register") && error === "Registration failed";
  return status === 500 && (code === "DATABASE_ERROR" || isRegistration);
}

function expectNone(answers: readonly Timed[]): void {
  expect(answers.map(({ name, answer: { status, body } }) => [name, status, body])).toEqual([]);
}
