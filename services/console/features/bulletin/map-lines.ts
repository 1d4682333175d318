import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { ellipseOf, outlineOf } from "../../model/error-ellipse.ts";
import { placeOf, preferredOrigin, type ShownSolution } from "./solution-lines.ts";

type Line = readonly ReturnType<typeof placeOf>[];

/** What the map shows of a bulletin: the error ellipse of the preferred origin, and the way from it to the others. */
export function mapLines(bulletin: Bulletin, shown: ShownSolution): readonly Line[] {
  const preferred = preferredOrigin(bulletin, shown);
  if (preferred === null) return [];
  const middle = placeOf(preferred);
  const ellipse = ellipseOf(preferred);
  const others = (bulletin.origin ?? []).filter((origin) => origin !== preferred);
  return [
    ...(ellipse ? [outlineOf(middle, ellipse)] : []),
    ...others.map((origin): Line => [middle, placeOf(origin)]),
  ];
}
