/**
 * `npm run screenshots` starts the demo and takes the pictures of docs/images in Chromium (scripts/install-browser.sh).
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..');
const images = join(root, 'docs/images');
/** Any free port, so that the demo can run beside another gsq. */
const ANY_PORT = '127.0.0.1:0';
const ADDRESSES = ['HTTP', 'GRPC', 'INTERNAL', 'CORE_OPS', 'GATEWAY_OPS', 'PROBER_OPS', 'NOTIFIER_OPS'];
const PICTURES = [
  { name: 'servers', path: '/', colorScheme: 'light' },
  { name: 'servers-dark', path: '/', colorScheme: 'dark' },
] as const;

const demo = spawn(process.execPath, [join(root, 'cli/gsq.mjs'), 'start', '--demo'], {
  env: { ...process.env, ...Object.fromEntries(ADDRESSES.map(name => [`GSQ_${name}_ADDR`, ANY_PORT])) },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const base = await addressOfPage();
  mkdirSync(images, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  for (const { name, path, colorScheme } of PICTURES) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 720 }, colorScheme });
    const page = await context.newPage();
    await page.goto(base + path);
    await page.getByText('12 servers').waitFor();
    await page.locator('.status[data-status=online]').nth(11).waitFor();
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
