import type { Random } from "../../random.ts";

/** Public ids as GeoNet makes them, as ComCat does (a network's two letters first), or as numbers. */
export type IdStyle = "geonet" | "comcat" | "plain";

const NETWORKS = ["us", "nc", "ci", "ak"];

/** Makes ids that never come twice. */
export function idMaker(style: IdStyle, random: Random): () => string {
  let count = 0;
  return () => {
    count += 1;
    switch (style) {
      case "geonet":
        return `2015p${String(100_000 + count).padStart(6, "0")}`;
      case "comcat":
        return `${random.pick(NETWORKS)}7000${count.toString(36).padStart(4, "0")}`;
      case "plain":
        return String(1_000_000 + count);
    }
  };
}
