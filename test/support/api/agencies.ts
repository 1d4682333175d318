/** The settings of an agency that nobody can reach: its name never resolves. */
export const SOME_AGENCY = {
  name: "Observatory of the islands",
  url: "https://seismology.invalid/fdsnws/event/1",
  dialect: "fdsn",
} as const;
