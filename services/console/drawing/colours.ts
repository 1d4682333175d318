import type { Colour } from "./discs.ts";

/** Viridis from yellow to violet in six steps (van der Walt and Smith, 2015), ordered also for the colour-blind. */
export const SIX = coloursOf("fde725 7ad151 22a884 2a788e 414487 440154");

/** What is not known: a grey that is told from each of the six, for the colour-blind too. */
export const GREY: Colour = [105, 105, 105];

/** Blue, orange and reddish purple, which the colour-blind tell apart (Okabe and Ito, 2008). */
export const KIND_COLOURS = coloursOf("0072b2 e69f00 cc79a7");

/** Red, orange, yellow, white and grey: younger than an hour, a day, a week, a month, and older. */
export const AGES = coloursOf("e21a1c ff7f00 ffde3c ffffff 969696");

/** Shades of a density, from few events to many, on a light and on a dark ground. */
export const SHADES = {
  light: coloursOf("fdd49e fc8d59 e34a33 a60f14 540a14"),
  dark: coloursOf("5c2014 9e3018 de5c28 fca054 ffe6aa"),
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

/** Of two hexadecimal digits a part, as style sheets have them. */
function coloursOf(texts: string): readonly Colour[] {
  return texts.split(" ").map((text) => {
    const all = Number.parseInt(text, 16);
    return [all >> 16, (all >> 8) & 255, all & 255];
  });
}
