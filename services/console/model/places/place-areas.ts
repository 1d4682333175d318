/** A place with its name; degrees, longitude −180 to 180. */
export type NamedPlace = readonly [name: string, latitude: number, longitude: number];

/** The box around some places, degrees. */
export type Box = {
  readonly south: number;
  readonly west: number;
  readonly north: number;
  readonly east: number;
};

export type PlaceArea = { readonly box: Box; readonly places: readonly NamedPlace[] };

/**
 * Parts places into areas of at most so many, by halves along the longer side of their box: a page
 * fetches those areas alone whose events it names, all of them alike in size.
 */
export function placeAreas(places: readonly NamedPlace[], most: number): readonly PlaceArea[] {
  if (places.length === 0) return [];
  const box = boxOf(places);
  if (places.length <= most) return [{ box, places }];
  const by = box.north - box.south > box.east - box.west ? 1 : 2;
  const inOrder = places.toSorted((a, b) => a[by] - b[by]);
  const middle = places.length >> 1;
  return [
    ...placeAreas(inOrder.slice(0, middle), most),
    ...placeAreas(inOrder.slice(middle), most),
  ];
}

function boxOf(places: readonly NamedPlace[]): Box {
  const latitudes = places.map(([, latitude]) => latitude);
  const longitudes = places.map(([, , longitude]) => longitude);
  return {
    south: Math.min(...latitudes),
    west: Math.min(...longitudes),
    north: Math.max(...latitudes),
    east: Math.max(...longitudes),
  };
}
