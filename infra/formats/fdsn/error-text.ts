import { STATUS_CODES } from "node:http";
import { FDSN_VERSION } from "#contracts/fdsn/formats.ts";

type ServiceError = {
  /** HTTP. */
  readonly status: number;
  /** What is wrong, for people. */
  readonly detail: string;
  /** Where people sign in, for those who came with a browser. */
  readonly signIn?: string | undefined;
  /** The address of the documentation. */
  readonly usage: string;
  /** The address that was requested. */
  readonly request: string;
  /** When, ISO 8601 UTC. */
  readonly submitted: string;
};

/** ZMAP takes all further numbers in front of `Request:` for a limit and a count of events. A time is one. */
const NUMBERS = /\d\d+(?:[.,:TZ-]+\d+)*Z?/g;
const GONE = 410;
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * The body of an error, text/plain, as FDSN Web Service Specification 1.1 has it on p. 3. Numbers of two
 * or more digits are left out of the detail, though not out of addresses; of what is gone, versions are named.
 */
export function errorText(error: ServiceError): string {
  const { status, detail, signIn, usage, request, submitted } = error;
  const clean = detail.replaceAll(CONTROLS, " ");
  const plain = status === GONE ? clean : clean.replaceAll(NUMBERS, "...");
  return [
    `Error ${status}: ${STATUS_CODES[status] ?? "Error"}`,
    signIn === undefined ? plain : withSignIn(plain, signIn),
    `Usage details are available from ${usage}`,
    `Request:\n${request}`,
    `Request Submitted:\n${submitted}`,
    `Service version:\n${FDSN_VERSION}\n`,
  ].join("\n\n");
}

export function withSignIn(detail: string, address: string): string {
  return `${detail}. Sign in at ${address}`;
}

/**
 * The body of an error as ComCat answers with `format=geojson&jsonerror=true`, and status 200: a
 * FeatureCollection without features.
 */
export function errorJson({
  status,
  detail,
  request,
  submitted,
}: Omit<ServiceError, "usage" | "signIn">): string {
  const metadata = {
    status,
    generated: Date.parse(submitted),
    url: request,
    title: "Search Error",
    api: FDSN_VERSION,
    count: 0,
    error: detail,
  };
  return JSON.stringify({ type: "FeatureCollection", metadata, features: [] });
}
