/** With what a program reads which catalogue. */
export type TokenAccess = {
  /** The catalogue's address in the API. */
  readonly base: string;
  /** The token's id: the user name for Digest. */
  readonly id: string;
  readonly secret: string;
};

/** A program, and how it reads the catalogue. */
export const CLIENTS = {
  curl: ({ base, secret }) =>
    `curl -H "Authorization: Bearer ${secret}" "${base}/events?limit=100"`,
  ObsPy: ({ base, id, secret }) =>
    [
      "from obspy.clients.fdsn import Client",
      "client = Client(",
      `    "${base}",`,
      `    user="${id}",`,
      `    password="${secret}",`,
      ")",
      "events = client.get_events(limit=100)",
    ].join("\n"),
  pandas: ({ base, secret }) =>
    [
      "import pandas",
      "events = pandas.read_csv(",
      `    "${base}/export?format=csv",`,
      `    storage_options={"Authorization": "Bearer ${secret}"},`,
      ")",
    ].join("\n"),
  GDAL: ({ base, secret }) =>
    [
      `GDAL_HTTP_AUTH=BASIC GDAL_HTTP_USERPWD="script:${secret}" \\`,
      `  ogrinfo -ro -so -al "${layerAddress(base)}"`,
    ].join("\n"),
} satisfies Readonly<Record<string, (access: TokenAccess) => string>>;

/** What GDAL and QGIS read as a layer. */
export function layerAddress(base: string): string {
  return `${base}/export?format=geojson`;
}
