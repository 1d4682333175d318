import { expect, test } from "vitest";
import {
  EVALUATION_MODES,
  EVALUATION_STATUSES,
  QUAKEML_EVENT_TYPES,
} from "#contracts/seismic-event/enumerations.ts";

test("enumerations that filters compare are in lower case, as the filters' lists are", () => {
  const values = [...QUAKEML_EVENT_TYPES, ...EVALUATION_STATUSES, ...EVALUATION_MODES];
  expect(values).toEqual(values.map((value) => value.toLowerCase()));
});
