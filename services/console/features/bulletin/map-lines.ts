import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { ellipseOf, ellipseOfRow, type LocatedRow, outlineOf } from "../../model/error-ellipse.ts";
import type { Place } from "../../model/great-circle.ts";
import { preferredOrigin } from "../../model/preferred-solutions.ts";
import { placeOf } from "./solution-lines.ts";

type Line = readonly Place[];

/**
 * What the map shows of an event: the error ellipse of the preferred origin, by the row where there is
 * no bulletin, and the way from it to the bulletin's other origins.
 */
export function mapLines(bulletin: Bulletin | null, shown: LocatedRow): readonly Line[] {
  const preferred = bulletin && preferredOrigin(bulletin);
  if (preferred === null) {
    const ellipse = ellipseOfRow(shown);
    return ellipse ? [outlineOf(shown, ellipse)] : [];
  }
  const middle = placeOf(preferred);
  const ellipse = ellipseOf(preferred) ?? ellipseOfRow(shown);
  const others = (bulletin?.origin ?? []).filter((origin) => origin !== preferred);
  return [
    ...(ellipse ? [outlineOf(middle, ellipse)] : []),
    ...others.map((origin): Line => [middle, placeOf(origin)]),
  ];
}
