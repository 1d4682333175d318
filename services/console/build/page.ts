/** The names of what every page needs: the program, the styles and the type face. */
export type StartFiles = {
  readonly script: string;
  readonly style: string;
  readonly face: string;
};

/** A trace of an earthquake. */
const ICON = encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2563c9"/><path d="M4 16h5l2-4 2.5 9L17 6l3.5 19 2.5-11 2 2h3" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
);

/** The page that starts the console, whatever its address. */
export function pageOf({ script, style, face }: StartFiles): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Earthquake catalogues</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
<link rel="preload" href="/assets/${face}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/assets/${style}">
<script type="module" src="/assets/${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript>${explain("This page needs JavaScript.")}</noscript>
</body>
</html>
`;
}

/** Stands where the console could not be built. */
export const PAGE_WITHOUT_CONSOLE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Earthquake catalogues</title>
${explain("The console of this service could not be built; its log tells why.")}
</html>
`;

function explain(sentence: string): string {
  return `<p>${sentence} Everything works by the <a href="/api/docs">REST interface</a> too.</p>`;
}
