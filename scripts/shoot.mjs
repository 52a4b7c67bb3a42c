// Opens pages in one headless Chromium, one after the other, and takes a picture of each:
//
//   shoot.mjs CHROMIUM FOLDER NAME=URL [NAME=URL …]
//
// "CLICK TEXT" in place of NAME=URL presses what bears that text on the page before. Needs Node 22, or 20 with --experimental-websocket.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, folder, ...asked] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "shoot-"));
const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--window-size=1600,1500", "--remote-debugging-port=0", "--remote-allow-origins=*", `--user-data-dir=${profile}`];
const browser = spawn(program, [...flags, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });

process.on("exit", () => browser.kill());

// The browser says where it listens.
const address = await new Promise((found, failed) => {
  let said = "";
  browser.stderr.on("data", (text) => {
    const at = (said += text).match(/DevTools listening on ws:\/\/([^/]+)/);
    if (at) found(at[1]);
  });
  browser.on("exit", () => failed(new Error(`Chromium ended: ${said}`)));
});
const page = (await (await fetch(`http://${address}/json/list`)).json()).find((t) => t.type === "page");
const socket = new WebSocket(page.webSocketDebuggerUrl);
await new Promise((open, failed) => ((socket.onopen = open), (socket.onerror = () => failed(new Error("Chromium takes no commands")))));

let last = 0, moved = Date.now();
const waiting = new Map();
socket.onmessage = ({ data }) => {
  const { id, method, result, error } = JSON.parse(data);
  if (id) waiting.get(id)(error ? { error } : result);
  if (method?.startsWith("Network.") && !method.includes("WebSocket")) moved = Date.now();
};
const call = (method, params = {}) => new Promise((done) => {
  waiting.set(++last, done);
  socket.send(JSON.stringify({ id: last, method, params }));
});

// settled waits until the page has asked for nothing for two seconds; pages that poll are let be after twenty.
async function settled() {
  const began = Date.now();
  do await new Promise((later) => setTimeout(later, 250));
  while (Date.now() - began < 20_000 && (Date.now() - moved < 2_000 || Date.now() - began < 2_000 || !(await words())));
}

// words counts what a page has to say: one that is still being made has nothing.
async function words() {
  const { result } = await call("Runtime.evaluate", { expression: "document.body?.innerText.trim().length ?? 0" });
  return result?.value ?? 0;
}

async function picture() {
  for (let tries = 0; tries < 5; tries++) {
    const { data } = await call("Page.captureScreenshot", { format: "png" });
    if (data) return Buffer.from(data, "base64");
    await settled(); // between two pages there is none
  }
  throw new Error("Chromium gives no picture");
}

await call("Network.enable");
await call("Page.enable");
for (const one of asked) {
  if (one.startsWith("CLICK ")) {
    const press = `[...document.querySelectorAll("button, a, [role=tab], label")].find((e) => [e.innerText, e.ariaLabel, e.title].some((t) => t?.trim() === ${JSON.stringify(one.slice(6))}))?.click() ?? "nothing"`;
    await call("Runtime.evaluate", { expression: press });
    await settled();
    continue;
  }
  const cut = one.indexOf("="), name = one.slice(0, cut), url = one.slice(cut + 1);
  if (url) await call("Page.navigate", { url });
  await settled();
  writeFileSync(join(folder, name + ".png"), await picture());
  console.log(join(folder, name + ".png"));
}
await call("Browser.close");
await new Promise((ended) => browser.on("exit", ended));
rmSync(profile, { recursive: true, force: true });
process.exit();
