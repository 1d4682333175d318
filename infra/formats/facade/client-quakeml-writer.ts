import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Inclusion } from "#contracts/fdsn/inclusion.ts";
import { closedAnswer, type LeftOut, nothingLeftOut } from "../bulletin/closed-answer.ts";
import { shownSolutions } from "../bulletin/preferred.ts";
import { FACADE_FIELD, type FacadeAnswer, withPaddedTimes } from "../facade-row.ts";
import type { ExportRow, FormatWriter } from "../format-writer.ts";
import { createQuakemlWriter } from "../quakeml/quakeml-writer.ts";
import { writeBulletin } from "../quakeml/whole/write-bulletin.ts";
import { clientPublicId } from "../quakeml/write-event.ts";

/**
 * QuakeML for clients: events as their rows show them. Where more is wanted, one that has a bulletin is
 * made of that alone: its objects have their own ids, the event has the service's. The document ends
 * with a comment that counts what was left out so that every reference leads somewhere.
 */
export function createClientQuakemlWriter(answer: FacadeAnswer): FormatWriter {
  const rows = withPaddedTimes(createQuakemlWriter(answer, { ...answer, regions: true }));
  const { inclusion } = answer;
  if (inclusion === null) return rows;
  const leftOut = nothingLeftOut();
  return {
    begin: rows.begin,
    row(row, bulletin = null) {
      if (bulletin === null) return rows.row(row);
      const event = shownPart(row, bulletin, inclusion, leftOut);
      return writeBulletin(event, { form: "valid", publicID: clientPublicId(row) });
    },
    end: () => rows.end() + remarkOn(leftOut),
  };
}

function shownPart(
  row: ExportRow,
  bulletin: Bulletin,
  inclusion: Inclusion,
  leftOut: LeftOut,
): Bulletin {
  const place = row[FACADE_FIELD.matched] ?? null;
  const matched = place === null ? undefined : bulletin.magnitude?.[Number(place)];
  const shown = { ...shownSolutions(bulletin), matched };
  return closedAnswer(bulletin, shown, inclusion, leftOut);
}

/** "" where nothing was left out. */
function remarkOn({ references, objects }: LeftOut): string {
  const parts = [
    ...[...references].map(([name, count]) => `${count} ${name}`),
    ...[...objects].map(([type, count]) => `${count} ${type} without what it needs`),
  ];
  return parts.length === 0 ? "" : `<!-- Left out, as it leads nowhere: ${parts.join(", ")} -->\n`;
}
