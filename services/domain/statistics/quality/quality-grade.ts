import { GRADES, type Grade } from "./quality-rules.ts";

/** The grade of a Q, which is a whole number. */
export function gradeOfQuality(q: number): Grade {
  return GRADES.find(([, lowest]) => q >= lowest)?.[0] ?? "F";
}
