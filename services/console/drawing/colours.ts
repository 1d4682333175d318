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
  dark: [178, 186, 194],
};

/** Colours of the ground under the events, for canvases; the water is the map's own ground (map.css). */
export const GROUND = {
  light: {
    land: "#f6f5f0",
    lake: "#d9e5ee",
    coast: "#8fa2b2",
    river: "#b4cbdc",
    border: "#b3aca2",
    plate: "#c0645c",
    graticule: "rgb(96 120 144 / 0.16)",
    place: "#3f4b57",
    halo: "rgb(255 255 255 / 0.86)",
  },
  dark: {
    land: "#262d34",
    lake: "#10161c",
    coast: "#5f6e7b",
    river: "#2f4252",
    border: "#56606a",
    plate: "#a3625c",
    graticule: "rgb(150 170 190 / 0.13)",
    place: "#c3cdd6",
    halo: "rgb(16 22 28 / 0.82)",
  },
} as const;

/** How strongly slopes darken and lighten the ground, as shares of black and of white. */
export const RELIEF = {
  light: { dark: 0.5, light: 0.75 },
  dark: { dark: 0.8, light: 0.2 },
} as const;

export function cssOf([red, green, blue]: Colour): `rgb(${string})` {
  return `rgb(${red} ${green} ${blue})`;
}
