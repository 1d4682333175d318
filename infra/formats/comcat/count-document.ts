/** There is no limit; this is the largest number that every client's integer holds. */
const MAX_ALLOWED = 2 ** 31 - 1;

/** The answers of the method `count`, as USGS ComCat's, by format. */
export const COUNT_DOCUMENTS = {
  text: {
    contentType: "text/plain; charset=utf-8",
    write: (count: number): string => String(count),
  },
  geojson: {
    contentType: "application/json; charset=utf-8",
    write: (count: number): string => JSON.stringify({ count, maxAllowed: MAX_ALLOWED }),
  },
  xml: {
    contentType: "application/xml",
    write: (count: number): string =>
      `<?xml version="1.0" encoding="UTF-8"?>\n` +
      `<query><count>${count}</count><maxAllowed>${MAX_ALLOWED}</maxAllowed></query>\n`,
  },
} as const;
