import { omoriDelay, parkMiller } from "./park-miller.ts";

/** S3: 500 aftershocks within 100 days by Omori and Utsu's law, c = 0.05 days and p = 1.1; days, unsorted. */
export function syntheticS3(): number[] {
  const draw = parkMiller(777);
  return Array.from({ length: 500 }, () => omoriDelay(draw(), 0.05, 1.1, 100));
}
