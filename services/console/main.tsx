import "./ui/style/main.css";
import { render } from "preact";
import { readSession } from "./api/session.ts";
import { App } from "./app.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { applyTheme } from "./ui/style/theme.ts";

applyTheme();
// What goes wrong is told by the bars at the top, which ask again.
readSession().catch(() => undefined);
const root = document.getElementById("root");
if (root) {
  render(
    <PageBoundary>
      <App />
    </PageBoundary>,
    root,
  );
}
