import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { madeFrom } from "#contracts/bulletin/own-members.ts";
import { pathNames, withRowValue } from "#contracts/bulletin/row-paths.ts";
import { conversionMethod } from "#contracts/seismic-event/converted-from.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type BulletinView, withUnsaid } from "./bulletin-view.ts";
import { type Identified, listOf, withList } from "./solutions.ts";

/** A magnitude that a conversion made. */
export type ConvertedMagnitude = {
  /** The event's row with it. */
  readonly record: SeismicEventRecord;
  /** Name of the conversion. */
  readonly by: string;
  readonly publicID: string;
  /** Signs what an edit makes; null for what a merge makes, which is always the same. */
  readonly edit: { readonly version: number; readonly at: string } | null;
};

/**
 * The bulletin with a converted magnitude, which is preferred, beside the one that it was made from. Afterwards the
 * row is the bulletin's view.
 */
export function withConverted(
  bulletin: Bulletin,
  { record, by, publicID, edit }: ConvertedMagnitude,
  view: BulletinView,
): Bulletin {
  const shown = view.magnitude(bulletin);
  const { agencyID, author } = shown?.creationInfo ?? {};
  const creationInfo = {
    ...(agencyID !== undefined && { agencyID }),
    ...(author !== undefined && { author }),
    ...(edit !== null && { creationTime: edit.at, version: String(edit.version) }),
  };
  const bare: QuakemlObject<"Magnitude"> = {
    publicID,
    mag: { value: record.magnitude ?? 0 },
    ...(shown?.originID !== undefined && { originID: shown.originID }),
    methodID: conversionMethod(by),
    ...(Object.keys(creationInfo).length > 0 && { creationInfo }),
    // What was made here stays when its source speaks again.
    ...(edit !== null && { foreign: [madeFrom(shown?.publicID)] }),
  };
  const made = pathNames("magnitude").reduce(
    (object, name) => (record[name] === null ? object : withRowValue(object, name, record[name])),
    bare,
  );
  const magnitudes = [...listOf(bulletin, "magnitude"), made as unknown as Identified];
  const result = { ...withList(bulletin, "magnitude", magnitudes), preferredMagnitudeID: publicID };
  return withUnsaid(result, record, view);
}
