import "./ui/style/main.css";
import { render } from "preact";
import { Router } from "wouter-preact";
import { readSession } from "./api/session.ts";
import { share } from "./api/share.ts";
import { App } from "./app.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { applyTheme } from "./ui/style/theme.ts";

applyTheme();
// What goes wrong is told by the bars at the top, which ask again.
readSession().catch(() => undefined);
const root = document.getElementById("root");
if (root) {
  render(
    <Router base={share ?? ""}>
      <PageBoundary>
        <App />
      </PageBoundary>
    </Router>,
    root,
  );
}
