import type { Colour } from "./discs.ts";

/** Viridis from yellow to violet in six steps (van der Walt and Smith, 2015), ordered also for the colour-blind. */
export const SIX: readonly Colour[] = [
  [253, 231, 37],
  [122, 209, 81],
  [34, 168, 132],
  [42, 120, 142],
  [65, 68, 135],
  [68, 1, 84],
];

/** What is not known: a grey that is told from each of the six, for the colour-blind too. */
export const GREY: Colour = [105, 105, 105];

/** Blue, orange and reddish purple, which the colour-blind tell apart (Okabe and Ito, 2008). */
export const KIND_COLOURS: readonly Colour[] = [
  [0, 114, 178],
  [230, 159, 0],
  [204, 121, 167],
];

/** Red, orange, yellow, white and grey: younger than an hour, a day, a week, a month, and older. */
export const AGES: readonly Colour[] = [
  [226, 26, 28],
  [255, 127, 0],
  [255, 222, 60],
  [255, 255, 255],
  [150, 150, 150],
];

/** Shades of a density, from few events to many, on a light and on a dark ground. */
export const SHADES: Readonly<Record<"light" | "dark", readonly Colour[]>> = {
  light: [
    [253, 212, 158],
    [252, 141, 89],
    [227, 74, 51],
    [166, 15, 20],
    [84, 10, 20],
  ],
  dark: [
    [92, 32, 20],
    [158, 48, 24],
    [222, 92, 40],
    [252, 160, 84],
    [255, 230, 170],
  ],
};

/** The ring of a disc: dark on a light ground, light on a dark one. */
export const RINGS: Readonly<Record<"light" | "dark", Colour>> = {
  light: [40, 40, 40],
  dark: [205, 210, 215],
};

/** Colours of the ground under the events, for canvases; the water is the map's own ground (map.css). */
export const GROUND = {
  light: {
    land: "#f8f8f5",
    lake: "#dfe8ef",
    coast: "#a9b6c2",
    graticule: "#cbd6e0",
    place: "#5a6672",
    halo: "#f8f8f5",
  },
  dark: {
    land: "#262d34",
    lake: "#10161c",
    coast: "#56636f",
    graticule: "#38424d",
    place: "#97a3ae",
    halo: "#262d34",
  },
} as const;

export function cssOf([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`;
}
