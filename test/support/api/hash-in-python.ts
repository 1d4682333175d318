import { spawn } from "node:child_process";
import { once } from "node:events";

/** The canonical form, made without this project's code; bulletins beside the rows must have the hashes that the rows tell. */
const SCRIPT = `
import hashlib, json, sys
from decimal import Decimal

def number(x):
    if x == 0: return "0"
    if not 1e-6 <= abs(x) < 1e21: return repr(x).replace("e-0", "e-")
    text = format(Decimal(repr(x)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text

def canonical(x):
    if isinstance(x, dict):
        names = sorted(x, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(n) + ":" + canonical(x[n]) for n in names) + "}"
    if isinstance(x, list): return "[" + ",".join(map(canonical, x)) + "]"
    if isinstance(x, (int, float)) and not isinstance(x, bool): return number(x)
    return json.dumps(x, ensure_ascii=False)

def sha256(text): return hashlib.sha256(text.encode()).hexdigest()

events = sorted(json.load(sys.stdin)["events"], key=lambda event: event["id"])
for event in events:
    bulletin = event.pop("bulletin", None)
    if bulletin is not None and sha256(canonical(bulletin)) != event["bulletin_sha256"]:
        sys.exit("the bulletin of " + event["id"] + " has another hash")
print(sha256("".join(canonical(event) + "\\n" for event in events)))
`;

/**
 * The hash of a version, computed from its JSON export by a script of another language.
 * @throws Error when a bulletin in it has another hash than its row tells
 */
export async function hashInPython(exported: string): Promise<string> {
  const python = spawn("python3", ["-c", SCRIPT], { stdio: ["pipe", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  python.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  python.stdin.end(exported);
  const [code] = await once(python, "close");
  if (code !== 0) throw new Error(`the script ended with ${code}`);
  return Buffer.concat(chunks).toString().trim();
}
