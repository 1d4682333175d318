import { expect, test } from "vitest";
import { BULLETIN_PARTS, type BulletinPart } from "#contracts/seismic-event/bulletin-objects.ts";
import { selectedParts } from "#infra/formats/bulletin/parts.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { countsIn } from "./references.ts";

const bulletin = smallBulletin();
const selected = (...parts: BulletinPart[]) => selectedParts(bulletin, new Set(parts));

test("all parts of a bulletin are the bulletin", () => {
  expect(selected(...BULLETIN_PARTS)).toEqual(bulletin);
});

test("a bulletin without parts has what is the event's own", () => {
  const { type, creationInfo, comment, publicID, preferredOriginID, preferredMagnitudeID } =
    bulletin;
  const own = { type, creationInfo, comment, publicID, preferredOriginID, preferredMagnitudeID };
  expect(selected()).toEqual(own);
});

test("origins have arrivals where these are named, which bring the origins", () => {
  expect(countsIn(selected("origin"))).toMatchObject({ Origin: 2 });
  expect(countsIn(selected("origin"))).not.toHaveProperty("Arrival");
  expect(countsIn(selected("arrival"))).toMatchObject({ Origin: 2, Arrival: 2 });
  expect(countsIn(selected("arrival"))).not.toHaveProperty("Pick");
});

test("magnitudes keep their contributions, whose station magnitudes are a part of their own", () => {
  expect(countsIn(selected("magnitude"))).toMatchObject({
    Magnitude: 2,
    StationMagnitudeContribution: 1,
  });
  expect(countsIn(selected("magnitude"))).not.toHaveProperty("StationMagnitude");
});
