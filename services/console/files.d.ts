declare module "*.css";

/** The address of a file of data (`build/build-console.ts`). */
declare module "*.json" {
  const address: string;
  export default address;
}

/** The address of the list of places by area (`build/place-files.ts`). */
declare const PLACES_ADDRESS: string;
