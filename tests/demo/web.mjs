// Draws digits on the page of demo/web in a headless Chromium, by the DevTools protocol:
//   node web.mjs CHROMIUM PAGE FOLDER      screenshots go to FOLDER
// With the mouse on a wide page in light colours, with a finger on a phone's in dark ones.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [chromium, page, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), 'kgen-web-'));
const browser = spawn(chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
  '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });

// Messages are JSON with a zero byte at the end.
const waiting = new Map(), complaints = [];
let received = '', number = 0, session;
browser.stdio[4].setEncoding('utf8').on('data', text => {
  received += text;
  for (let end; (end = received.indexOf('\0')) >= 0; received = received.slice(end + 1)) {
    const message = JSON.parse(received.slice(0, end));
    if (message.method === 'Runtime.exceptionThrown') complaints.push(message.params.exceptionDetails.exception?.description);
    const { resolve, reject } = waiting.get(message.id) ?? {};
    if (message.error) reject?.(new Error(message.error.message));
    else resolve?.(message.result);
  }
});
function send(method, params = {}) {
  browser.stdio[3].write(JSON.stringify({ id: ++number, method, params, sessionId: session }) + '\0');
  return new Promise((resolve, reject) => waiting.set(number, { resolve, reject }));
}
async function ask(expression) {
  const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
  return result.value;
}
async function until(expression) {
  for (let tries = 0; tries < 300; ++tries) {
    if (await ask(expression)) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error(`never: ${expression}`);
}
let failed = 0;
function check(holds, what) {
  if (holds) return;
  ++failed;
  console.log(`failed: ${what}`);
}

const arc = (x, y, rx, ry, from, to, steps = 18) => Array.from({ length: steps + 1 }, (_, i) => {
  const angle = (from + (to - from) * i / steps) * Math.PI / 180;
  return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)];
});
// Somebody's handwriting, in a square.
const digits = [
  [arc(0.5, 0.5, 0.22, 0.33, -90, 270, 24)],
  [[[0.42, 0.3], [0.55, 0.18], [0.55, 0.5], [0.55, 0.82]]],
  [[...arc(0.5, 0.37, 0.2, 0.19, 190, 385), [0.3, 0.82], [0.5, 0.82], [0.72, 0.82]]],
  [[...arc(0.48, 0.34, 0.19, 0.16, 200, 450), ...arc(0.48, 0.66, 0.22, 0.17, 270, 520)]],
  [[[0.36, 0.2], [0.31, 0.56], [0.5, 0.56], [0.74, 0.56]], [[0.64, 0.2], [0.63, 0.5], [0.61, 0.84]]],
  [[[0.7, 0.2], [0.38, 0.2], [0.35, 0.47], ...arc(0.49, 0.63, 0.22, 0.2, 230, 500)]],
  [[[0.63, 0.18], [0.42, 0.4], ...arc(0.5, 0.64, 0.19, 0.19, 190, 550, 22)]],
  [[[0.3, 0.2], [0.5, 0.2], [0.71, 0.2], [0.58, 0.5], [0.46, 0.84]]],
  [[...arc(0.5, 0.34, 0.17, 0.16, 0, 360), ...arc(0.5, 0.67, 0.21, 0.17, -90, 270)]],
  [[...arc(0.5, 0.36, 0.19, 0.18, 0, 360), [0.69, 0.5], [0.58, 0.83]]],
];

async function draw(strokes, isTouch) {
  const box = await ask('(({x, y, width}) => ({x, y, width}))(document.getElementById("sheet").getBoundingClientRect())');
  for (const stroke of strokes) {
    const points = stroke.map(([x, y]) => ({ x: box.x + x * box.width, y: box.y + y * box.width }));
    const event = (type, point) => isTouch
      ? send('Input.dispatchTouchEvent', { type: `touch${type}`, touchPoints: type === 'End' ? [] : [point] })
      : send('Input.dispatchMouseEvent', { type: { Start: 'mousePressed', Move: 'mouseMoved', End: 'mouseReleased' }[type],
        ...point, button: 'left', buttons: type === 'End' ? 0 : 1, clickCount: 1 });
    await event('Start', points[0]);
    for (const point of points.slice(1)) await event('Move', point);
    await frame();
    check(await ask('/\\d/.test(document.getElementById("digit").textContent)'), 'the answer is there while one draws');
    await event('End', points.at(-1));
  }
  await frame();
}
const frame = () => ask('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))');
const answer = () => ask('document.getElementById("digit").textContent.trim()');
const shares = () => ask('[...document.querySelectorAll(".share")].map(one => parseFloat(one.textContent))');
async function clear() {
  await ask('document.getElementById("clear").click()');
  await frame();
}
async function screenshot(name) {
  const { data } = await send('Page.captureScreenshot', { format: 'png' });
  writeFileSync(join(folder, name), Buffer.from(data, 'base64'));
}

async function visit(width, height, scheme, isTouch) {
  const name = `${width} x ${height}, ${scheme}`;
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: isTouch ? 2 : 1, mobile: isTouch });
  await send('Emulation.setTouchEmulationEnabled', { enabled: isTouch });
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  await send('Page.navigate', { url: pathToFileURL(page).href });
  await until('document.documentElement?.dataset.ready === "yes"');
  await frame();
  check(await answer() === '', `${name}: no answer before anything is drawn`);
  check(await ask('document.documentElement.scrollWidth <= innerWidth'), `${name}: nothing is wider than the page`);
  const kilobytes = parseFloat(await ask('document.getElementById("size").textContent'));
  check(kilobytes > 10 && kilobytes < 60, `${name}: the module has ${kilobytes} kB`);
  let right = 0;
  for (const [digit, strokes] of digits.entries()) {
    await draw(strokes, isTouch);
    const found = await answer(), sum = (await shares()).reduce((a, b) => a + b);
    right += found === String(digit);
    if (found !== String(digit)) console.log(`${name}: ${digit} was taken for ${found}: ${await shares()}`);
    check(Math.abs(sum - 100) < 1, `${name}: probabilities add up to ${sum} %`);
    if (digit === 3) await screenshot(`${scheme}-${width}.png`);
    await clear();
  }
  check(right === digits.length, `${name}: ${right} of ${digits.length} digits were recognized`);
  check(parseFloat(await ask('document.getElementById("time").textContent')) >= 0, `${name}: the time of a call is shown`);
  check(await answer() === '', `${name}: nothing is left after Clear`);
  console.log(`${name}: ${right} of ${digits.length} digits, module ${kilobytes} kB, a call ${await ask('document.getElementById("time").textContent')}`);
}

try {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  session = (await send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
  await send('Page.enable');
  await send('Runtime.enable');
  await visit(1000, 760, 'light', false);
  await visit(375, 812, 'dark', true);
  await visit(375, 812, 'light', true);
  await visit(1000, 760, 'dark', false);
  complaints.forEach(text => check(false, text));
} catch (error) {
  check(false, error.message);
} finally {
  browser.kill();
  await new Promise(resolve => browser.exitCode !== null || browser.signalCode ? resolve() : browser.once('exit', resolve));
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(failed ? 1 : 0);
