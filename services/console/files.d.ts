declare module "*.css";

/** The address of a file of data (`build/build-console.ts`). */
declare module "*.json" {
  const address: string;
  export default address;
}

/** The address of the list of places by area (`build/place-files.ts`). */
declare const PLACES_ADDRESS: string;

declare module "*.woff2" {
  const address: string;
  export default address;
}

/** What addresses of tiles of the ground and the relief are reckoned from, by kind (`build/build-console.ts`). */
declare const GROUND_TILES: Readonly<
  Record<
    string,
    { readonly hash: string; readonly extension: string; readonly sea: readonly string[] }
  >
>;

/** Whether pages for those who build the console are there (`build/build-console.ts`). */
declare const DEVELOPMENT: boolean;
