export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const MIB = 1024 * 1024;

/** As a power of ten. */
export const KILOMETRES_TO_METRES = 3;

export const RADIANS_PER_DEGREE = Math.PI / 180;

/** The Earth's mean radius R₁ (IUGG), kilometres, for great circles on a sphere. */
export const EARTH_RADIUS_KM = 6371.0088;
/** Kilometres of a degree of a great circle. */
export const KM_PER_DEGREE = EARTH_RADIUS_KM * RADIANS_PER_DEGREE;
