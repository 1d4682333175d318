import { STATUS_CODES } from "node:http";
import { FDSN_VERSION } from "#contracts/fdsn/formats.ts";

type ServiceError = {
  /** HTTP. */
  readonly status: number;
  /** What is wrong, for people. */
  readonly detail: string;
  /** The address of the documentation. */
  readonly usage: string;
  /** The address that was requested. */
  readonly request: string;
  /** When, ISO 8601 UTC. */
  readonly submitted: string;
};

/** ZMAP takes all further numbers in front of `Request:` for a limit and a count of events. */
const NUMBERS = /\d\d+(?:[.,]\d+)*/g;
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * The body of an error, text/plain, as FDSN Web Service Specification 1.1 has it on p. 3. The status is
 * the only number of two or more digits in front of `Request:`: others are left out of the detail, and
 * an address of the documentation that has one, in its port for example, is printed without its host.
 */
export function errorText({ status, detail, usage, request, submitted }: ServiceError): string {
  const plain = detail.replaceAll(CONTROLS, " ").replaceAll(NUMBERS, "...");
  return [
    `Error ${status}: ${STATUS_CODES[status] ?? "Error"}`,
    plain,
    `Usage details are available from ${usage}`,
    `Request:\n${request}`,
    `Request Submitted:\n${submitted}`,
    `Service version:\n${FDSN_VERSION}\n`,
  ].join("\n\n");
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
}: Omit<ServiceError, "usage">): string {
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
