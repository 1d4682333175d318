declare module "*.css";

/** The address of a file of data (`build/build-console.ts`). */
declare module "*.json" {
  const address: string;
  export default address;
}
