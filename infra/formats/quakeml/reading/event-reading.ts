import { ELEMENT_KINDS } from "#contracts/bulletin/element-counts.ts";
import type { OpenObject } from "./foreign-of-object.ts";
import type { TypePlan } from "./type-plans.ts";

/** What is noted while one child of eventParameters is read. */
export type EventReading = {
  /** Characters that its JSON has at least. */
  size: number;
  /** Elements of the counted kinds, and foreign ones. */
  elements: number;
  /** It holds more than a row of our own writer. */
  isBeyondRow: boolean;
  /** Origins hold magnitudes. */
  hasInside: boolean;
  /** Elements by their place in ELEMENT_KINDS. */
  readonly counts: number[];
  /** Members with a value that QuakeML does not allow there. */
  readonly faults: string[];
  /** Numbers of rows that JSON spells in another way. */
  readonly spelled: SpelledNumber[];
  /** Objects with an id of the service and the one that they were given. */
  readonly givenIds: GivenId[];
  /** Some objects have no id. */
  hasUnnamed: boolean;
};

export type SpelledNumber = {
  readonly object: OpenObject;
  readonly member: string;
  readonly text: string;
  /** It may stand for "not known"; else it has more digits than JSON has of it. */
  readonly isUnknown: boolean;
};

type GivenId = { readonly type: TypePlan; readonly object: OpenObject; readonly id: string };

export function newReading(): EventReading {
  return {
    size: 0,
    elements: 0,
    isBeyondRow: false,
    hasInside: false,
    counts: ELEMENT_KINDS.map(() => 0),
    faults: [],
    spelled: [],
    givenIds: [],
    hasUnnamed: false,
  };
}

/** Keeps what was noted so far, to return to it when an element turns out to be read in another way. */
export function createReadingMark() {
  const kept = newReading();
  return {
    set(reading: EventReading): void {
      kept.size = reading.size;
      kept.elements = reading.elements;
      kept.isBeyondRow = reading.isBeyondRow;
      kept.hasInside = reading.hasInside;
      for (let i = 0; i < kept.counts.length; i++) kept.counts[i] = reading.counts[i] ?? 0;
      kept.faults.length = reading.faults.length;
      kept.spelled.length = reading.spelled.length;
      kept.givenIds.length = reading.givenIds.length;
      kept.hasUnnamed = reading.hasUnnamed;
    },
    restore(reading: EventReading): void {
      reading.size = kept.size;
      reading.elements = kept.elements;
      reading.isBeyondRow = kept.isBeyondRow;
      reading.hasInside = kept.hasInside;
      for (let i = 0; i < kept.counts.length; i++) reading.counts[i] = kept.counts[i] ?? 0;
      reading.faults.length = kept.faults.length;
      reading.spelled.length = kept.spelled.length;
      reading.givenIds.length = kept.givenIds.length;
      reading.hasUnnamed = kept.hasUnnamed;
    },
  };
}
