/**
 * `npm run screenshots` starts the demo and takes the pictures of docs/images in Chromium (scripts/install-browser.sh).
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..');
const images = join(root, 'docs/images');
/** With port 0, the system chooses a free port, so that the demo can run beside another gsq. */
const ANY_PORT = '127.0.0.1:0';
const ADDRESSES = ['HTTP', 'GRPC', 'INTERNAL', 'CORE_OPS', 'GATEWAY_OPS', 'PROBER_OPS', 'NOTIFIER_OPS'];
/**
 * URL path of a web page of the demo. The page shows a game server that is sometimes offline, and a chart of its last
 * week.
 */
const FAILING = '/server/css/127.0.14.1%3A27520?range=week';
const PICTURES = [
  { name: 'servers', path: '/', colorScheme: 'light', ready: '.sparkline', height: 720 },
  { name: 'servers-dark', path: '/', colorScheme: 'dark', ready: '.sparkline', height: 720 },
  { name: 'server', path: FAILING, colorScheme: 'light', ready: '#chart canvas', height: 1180 },
  { name: 'docs', path: '/docs', colorScheme: 'light', ready: '.opblock', height: 720 },
] as const;

const demo = spawn(process.execPath, [join(root, 'cli/gsq.mjs'), 'start', '--demo'], {
  env: { ...process.env, ...Object.fromEntries(ADDRESSES.map(name => [`GSQ_${name}_ADDR`, ANY_PORT])) },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const base = await addressOfPage();
  mkdirSync(images, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  for (const { name, path, colorScheme, ready, height } of PICTURES) {
    const context = await browser.newContext({ viewport: { width: 1200, height }, colorScheme });
    const page = await context.newPage();
    await page.goto(base + path);
    await page.locator(ready).first().waitFor();
    await page.screenshot({ path: join(images, `${name}.png`) });
    await context.close();
  }
  await browser.close();
} finally {
  demo.kill('SIGINT');
}

/** Resolves to the URL of the page, which the demo prints when it is ready. */
async function addressOfPage(): Promise<string> {
  let screen = '';
  for await (const text of demo.stdout) {
    screen += text;
    const [, url] = /^Page +(\S+)\/ /m.exec(screen) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`the demo ended: ${screen}`);
}
