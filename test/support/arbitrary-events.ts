import fc from "fast-check";
import {
  emptyRecord,
  type JsonObject,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { microsToTime } from "#contracts/seismic-event/time.ts";

const EXTRA: JsonObject = { note: "Kaikōura 🌏", nested: [1, { deep: null }] };

const EPOCH_MICROS = 1_479_034_976_000_000n;

/** Times that often are equal, or apart by a microsecond; digits 0 to 6. */
export const arbitraryTime = fc
  .tuple(
    fc.oneof(fc.bigInt(-3n, 3n), fc.bigInt(-(10n ** 9n), 10n ** 9n)),
    fc.integer({ min: 0, max: 6 }),
  )
  .map(([offset, digits]) => {
    const unit = 10n ** BigInt(6 - digits);
    return microsToTime(((EPOCH_MICROS + offset) / unit) * unit, digits);
  });

const finite = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => value + 0);

export const arbitraryLatitude = fc.oneof(
  fc.constantFrom(-90, -45.5, 0, 45.5, 90),
  finite(-90, 90),
);
export const arbitraryLongitude = fc.oneof(
  fc.constantFrom(-180, -179.5, 0, 12.25, 179.5, 180),
  finite(-180, 180),
);
export const arbitraryMagnitude = fc.oneof(fc.constantFrom(-1, 0, 2.5, 5), finite(-3, 10));

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });

/** Records with the attributes that filters look at, in small ranges so that filters match some. */
export const arbitraryRecord: fc.Arbitrary<SeismicEventRecord> = fc
  .record({
    time: arbitraryTime,
    latitude: arbitraryLatitude,
    longitude: arbitraryLongitude,
    depth: orNull(finite(-10, 700)),
    magnitude: orNull(arbitraryMagnitude),
    magnitude_type: orNull(fc.constantFrom("ML", "Ml", "mb", "Mw", "MÜ")),
    region: orNull(fc.string({ unit: "binary", maxLength: 8 }).map(storable)),
    event_type: orNull(fc.constantFrom("earthquake", "quarry blast", "explosion")),
    evaluation_status: orNull(fc.constantFrom("preliminary", "reviewed", "final")),
    evaluation_mode: orNull(fc.constantFrom("manual", "automatic")),
    azimuthal_gap: orNull(finite(0, 360)),
    used_station_count: orNull(fc.integer({ min: 0, max: 60 })),
    used_phase_count: orNull(fc.integer({ min: 0, max: 90 })),
    standard_error: orNull(finite(0, 2)),
    magnitude_uncertainty: orNull(finite(0, 1)),
    extra: orNull(fc.constant(EXTRA)),
  })
  .map((given) => ({ ...emptyRecord(given), ...given }));

/** What validation would not let in: NUL, and halves of surrogate pairs. */
function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
