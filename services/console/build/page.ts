/** The page that starts the console, whatever its address. */
export function pageOf({ script, style }: { script: string; style: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Earthquake catalogues</title>
<link rel="icon" href="data:,">
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
