import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { ownAttributesOf } from "#contracts/bulletin/own-members.ts";
import { isOwnEvent } from "#infra/formats/quakeml/row/agency-ids.ts";
import { preferredMagnitude, preferredOrigin } from "#infra/formats/quakeml/row/preferred.ts";
import { rowOfBulletin } from "#infra/formats/quakeml/row-of-bulletin.ts";
import { type BulletinView, VIEWED_NAMES } from "#services/domain/bulletin/bulletin-view.ts";
import { createRelievingValidator } from "#services/domain/import/relieving-validator.ts";

const SILENT = () => {};

/** How bulletins are shown as rows: by the rules with which files are read. */
export function createBulletinView(nowMs: number): BulletinView {
  const validate = createRelievingValidator(nowMs);
  return {
    origin: shownOrigin,
    magnitude: shownMagnitude,
    row(bulletin) {
      const row = rowOfBulletin(bulletin, SILENT);
      if (typeof row === "string") return null;
      const own = ownAttributesOf(bulletin);
      for (const name of VIEWED_NAMES) {
        const value = own[name];
        if (value !== undefined) row[name] = value;
      }
      const validated = validate(row);
      if (!validated.ok) return null;
      const { extra: _, source_events: __, ...viewed } = validated.record;
      return viewed;
    },
  };
}

function shownOrigin(bulletin: Bulletin): QuakemlObject<"Origin"> | undefined {
  const { origin = [], focalMechanism = [] } = bulletin;
  return preferredOrigin(bulletin, origin, focalMechanism) as QuakemlObject<"Origin"> | undefined;
}

function shownMagnitude(bulletin: Bulletin): QuakemlObject<"Magnitude"> | undefined {
  const origin = shownOrigin(bulletin);
  if (origin === undefined) return undefined;
  if (isOwnEvent(bulletin) && bulletin.preferredMagnitudeID === undefined) return undefined;
  const shown = preferredMagnitude(bulletin, bulletin.magnitude ?? [], origin, SILENT);
  return shown as QuakemlObject<"Magnitude"> | undefined;
}
