import { sample } from "./sample.ts";

export const ALL_MEMBERS = sample("quakeml/all-members.xml");

const HEAD =
  '<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2"><eventParameters publicID="smi:x.y/z">';
const TAIL = "</eventParameters></q:quakeml>";

/** A document of these events, all of it on the lines of the events. */
export function documentOf(...events: readonly string[]): string {
  return HEAD + events.join("") + TAIL;
}

export function eventOf(content: string, attributes = 'publicID="smi:x.y/ev1"'): string {
  return `<event ${attributes}>${content}</event>`;
}

/** An origin with what every row needs and more. */
export function originOf(content = "", id = "smi:x.y/or1", time = "2024-01-01T00:00:00Z"): string {
  return (
    `<origin publicID="${id}"><time><value>${time}</value></time>` +
    `<latitude><value>1.5</value></latitude><longitude><value>2.5</value></longitude>${content}</origin>`
  );
}

export function magnitudeOf(value: string, type: string, content = "", id = "smi:x.y/ma1"): string {
  return `<magnitude publicID="${id}"><mag><value>${value}</value></mag><type>${type}</type>${content}</magnitude>`;
}
