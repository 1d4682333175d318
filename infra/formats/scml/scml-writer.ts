import type { BulletinWriter } from "../format-writer.ts";
import { createLosses } from "./losses.ts";
import { SCML_NAMESPACE, SCML_VERSION } from "./scml-namespace.ts";
import { createEventWriter } from "./write-event.ts";

/**
 * A writer of SC3ML 0.13, SeisComP's XML, valid by its schema. What SCML has no place for is counted
 * in a comment at the end, since nothing is known of it before.
 */
export function createScmlWriter(): BulletinWriter {
  const losses = createLosses();
  return {
    begin: () =>
      `<?xml version="1.0" encoding="UTF-8"?>\n` +
      `<seiscomp xmlns="${SCML_NAMESPACE}" version="${SCML_VERSION}">\n<EventParameters>\n`,
    event: createEventWriter(losses),
    end() {
      const told = losses.told();
      const comment = told === "" ? "" : `<!-- not held by SC3ML ${SCML_VERSION}: ${told} -->\n`;
      return `</EventParameters>\n${comment}</seiscomp>\n`;
    },
  };
}
