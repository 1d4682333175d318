/** What alerts send: JSON, mails and CAP 1.2 (OASIS Common Alerting Protocol), made of what was stored when it was told. */

import type { AlertMessage, MessageType } from "#contracts/http/alerts.ts";
import { MINUS } from "#contracts/plots/numbers.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { xmlText } from "#infra/formats/xml/xml.ts";
import { changesSince, type ToldValues, valuesOf } from "#services/domain/alerts.ts";
import type { EventStates } from "#services/domain/following.ts";
import { featureOf, type ToldEvent, type VersionOfCatalogue } from "../told-events.ts";

/** What is stored of a message: of an event. */
export type EventContent = Pick<AlertMessage, "event" | "previous" | "changes">;

type TypedEvent = { readonly type: MessageType; readonly event: AlertMessage["event"] };

/** What is stored of a digest. */
export type DigestContent = {
  readonly counts: Readonly<Partial<Record<MessageType, number>>>;
  readonly largest: readonly TypedEvent[];
};

/** @param since what was told before; null for nothing */
export function contentOf(
  { before, after }: EventStates<ToldEvent>,
  since: ToldValues | null,
  of: VersionOfCatalogue,
): EventContent {
  const event = after ?? before;
  if (event === null) throw new Error("a change without an event");
  const feature = JSON.parse(featureOf(event, of));
  if (since === null) return { event: feature };
  const { event_type: _, ...previous } = since;
  const changes = after && changesSince(since, valuesOf(after));
  return { event: feature, previous, ...(changes && { changes }) };
}

/** Events that a digest shows. */
const LARGEST = 10;

/** A digest that counts one message more. */
export function digestWith(
  before: DigestContent | null,
  { kind: type, content }: { readonly kind: MessageType; readonly content: unknown },
): DigestContent {
  const { counts, largest } = before ?? { counts: {}, largest: [] };
  const one = { type, event: (content as EventContent).event };
  const all = [...largest, one].toSorted((a, b) => magnitudeOf(b.event) - magnitudeOf(a.event));
  return {
    counts: { ...counts, [type]: (counts[type] ?? 0) + 1 },
    largest: all.slice(0, LARGEST),
  };
}

const magnitudeOf = (event: AlertMessage["event"]): number =>
  propertiesOf(event).mag ?? Number.NEGATIVE_INFINITY;

/** Those of the feed's Feature that are put into words. */
type Properties = {
  readonly time: string;
  readonly flynn_region: string;
  readonly lat: number;
  readonly lon: number;
  readonly depth: number | null;
  readonly mag: number | null;
  readonly magtype: string | null;
  readonly event_id: string;
};

const propertiesOf = (event: AlertMessage["event"]): Properties =>
  event["properties"] as unknown as Properties;

/** What a message is about, beside its content. */
export type MessageHead = Pick<AlertMessage, "id" | "type" | "timestamp" | "alert" | "catalogue">;

/** The body of a message, of an event or a digest. */
export function messageOf(
  head: MessageHead,
  content: EventContent | DigestContent,
  publicBaseUrl: string,
): JsonObject {
  if (!("event" in content)) return { ...head, ...content } as unknown as JsonObject;
  const address = `/catalogues/${head.catalogue.id}/events/${propertiesOf(content.event).event_id}`;
  const links = {
    event: `${publicBaseUrl}/api${address}`,
    console: `${publicBaseUrl}${address}`,
  };
  return { ...head, ...content, links } as unknown as JsonObject;
}

const WORDS: Readonly<Record<MessageType, string>> = {
  "earthquake.new": "New",
  "earthquake.revised": "Revised",
  "earthquake.withdrawn": "Withdrawn",
  digest: "Digest",
  test: "Test",
};

function titleOf(event: AlertMessage["event"]): string {
  const { mag, magtype, flynn_region: region } = propertiesOf(event);
  const size = mag === null ? "M ?" : `M ${mag}${magtype === null ? "" : ` ${magtype}`}`;
  return `${size} ${region}`;
}

/** The same as a mail: one line of subject, and plain text. */
export function mailOf(
  head: MessageHead,
  content: EventContent | DigestContent,
  publicBaseUrl: string,
): { readonly subject: string; readonly message: string } {
  const { type, alert, catalogue } = head;
  const origin = `Alert "${alert.name}" for the catalogue "${catalogue.name}", version ${catalogue.version}.`;
  const end = [origin, `To change or to end it: ${publicBaseUrl}/alerts`];
  if (!("event" in content)) {
    const counts = Object.entries(content.counts).map(
      ([kind, count]) => `${count} ${WORDS[kind as MessageType].toLowerCase()}`,
    );
    const lines = content.largest.map((one) => `${WORDS[one.type]}: ${titleOf(one.event)}`);
    const subject = `Digest: ${counts.join(", ")}`;
    return mail(subject, ["More than the alert sends in an hour. The largest:", ...lines], end);
  }
  const { time, lat, lon, depth, event_id: id } = propertiesOf(content.event);
  const place = `${lat}°, ${lon}°${depth === null ? "" : `, depth ${depth} km`}`;
  const lines = [
    `Origin time: ${time}`,
    `Place: ${place.replaceAll("-", MINUS)}`,
    ...changeLines(content),
    `${publicBaseUrl}/catalogues/${catalogue.id}/events/${id}`,
  ];
  return mail(`${WORDS[type]}: ${titleOf(content.event)}`, lines, end);
}

function mail(subject: string, lines: readonly string[], end: readonly string[]) {
  // A line end of a name would begin another header.
  const line = subject.replaceAll(/\p{Cc}/gu, " ");
  return { subject: line, message: `${[line, lines.join("\n"), end.join("\n")].join("\n\n")}\n` };
}

function changeLines({ previous, changes }: EventContent): string[] {
  if (previous === undefined || changes === undefined) return [];
  const { magnitude, distanceKm, depthKm, seconds, status } = changes;
  const was = previous.magnitude === null ? "unknown" : previous.magnitude;
  const changed = [
    magnitude !== undefined && `magnitude, before ${was}`,
    distanceKm !== undefined && `place, by ${distanceKm.toFixed(1)} km`,
    depthKm !== undefined && `depth, before ${previous.depth ?? "unknown"} km`,
    seconds !== undefined && `time, by ${seconds} s`,
    status === true && `evaluation status, before ${previous.evaluation_status ?? "unknown"}`,
  ].filter((text) => text !== false);
  return changed.length === 0 ? [] : [`Changed: ${changed.join("; ")}`];
}

/** An earlier message of the same event. */
export type Reference = { readonly id: string; readonly createdAt: string };

const MESSAGE_TYPES: Readonly<Partial<Record<MessageType, string>>> = {
  "earthquake.revised": "Update",
  "earthquake.withdrawn": "Cancel",
};

/** CAP 1.2: times in whole seconds with an offset, which is −00:00 for UTC (3.3.2). */
const capTime = (iso: string): string => `${iso.slice(0, 19)}-00:00`;

/**
 * A message of an event as CAP 1.2 (the schema urn:oasis:names:tc:emergency:cap:1.2, in its order).
 * @param earlier all that was told of the event before, oldest first
 */
export function capOf(
  { id, type, timestamp, alert, catalogue }: MessageHead,
  { event }: EventContent,
  earlier: readonly Reference[],
  publicBaseUrl: string,
): string {
  const {
    mag,
    magtype,
    depth,
    lat,
    lon,
    event_id: eventId,
    flynn_region: region,
  } = propertiesOf(event);
  const sender = `${new URL(publicBaseUrl).host}/alerts/${alert.id}`;
  const references = earlier.map((one) => `${sender},${one.id},${capTime(one.createdAt)}`);
  const parameters = Object.entries({
    magnitude: mag,
    magnitudeType: magtype,
    depthKm: depth,
    version: catalogue.version,
  }).filter(([, value]) => value !== null);
  const element = (name: string, text: string) => `<${name}>${xmlText(text)}</${name}>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<alert xmlns="urn:oasis:names:tc:emergency:cap:1.2">',
    element("identifier", id),
    element("sender", sender),
    element("sent", capTime(timestamp)),
    element("status", type === "test" ? "Test" : "Actual"),
    element("msgType", MESSAGE_TYPES[type] ?? "Alert"),
    element("scope", "Restricted"),
    element("restriction", `Readers of the catalogue ${catalogue.name}`),
    ...(references.length === 0 ? [] : [element("references", references.join(" "))]),
    "<info>",
    element("language", "en"),
    element("category", "Geo"),
    element("event", "Earthquake"),
    element("urgency", "Past"),
    element("severity", "Unknown"),
    element("certainty", "Observed"),
    element("headline", `${WORDS[type]}: ${titleOf(event)}`),
    element("web", `${publicBaseUrl}/catalogues/${catalogue.id}/events/${eventId}`),
    ...parameters.map(
      ([name, value]) =>
        `<parameter>${element("valueName", name)}${element("value", String(value))}</parameter>`,
    ),
    "<area>",
    element("areaDesc", region),
    element("circle", `${lat},${lon} 0`),
    "</area>",
    "</info>",
    "</alert>\n",
  ].join("\n");
}

/** Nil (RFC 9562, 5.9). */
const NO_EVENT = "00000000-0000-0000-0000-000000000000";

/** An event that never was, for tests of receivers. */
export function testContent(of: VersionOfCatalogue, at: Date): EventContent {
  const nothing = { id: NO_EVENT, depth: 10, magnitude: 5, magnitude_type: "Mw" };
  const event = { ...nothing, time: at.toISOString(), latitude: 0, longitude: 0, region: "Test" };
  return contentOf({ before: null, after: event as unknown as ToldEvent }, null, of);
}
