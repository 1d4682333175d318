declare module "subset-font" {
  type Options = {
    readonly targetFormat: "sfnt" | "woff2";
    readonly noHinting: boolean;
    /** Features of OpenType; the others go, with the glyphs that only they reach. */
    readonly keepFeatures: readonly string[];
  };

  /** The part of a font that writes a text. */
  const subsetFont: (font: Buffer, text: string, options: Options) => Promise<Buffer>;
  export = subsetFont;
}
