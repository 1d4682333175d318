/** What the service is, for those who come to it for the first time. */
export const ABOUT = [
  "Public catalogues are open to everybody, without an account: map, table, plots and analyses.",
  "Every change makes a new version. Earlier ones stay, can be compared, restored and cited.",
  "Files of many formats can be read, agencies asked, catalogues compared and merged.",
  "With an account you read and export what is not restricted to others; editors also make and change catalogues.",
] as const;
