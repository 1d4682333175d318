import "./ui/style/main.css";
import { render } from "preact";
import { readSession } from "./api/session.ts";
import { App } from "./app.tsx";
import { applyTheme } from "./ui/theme.ts";

applyTheme();
// A service that cannot be reached is told by the page, which asks too.
readSession().catch(() => undefined);
const root = document.getElementById("root");
if (root) render(<App />, root);
