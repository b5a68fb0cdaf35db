import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { ShownFleet } from './shown-fleet.ts';
import { WatchedBrowser } from './watched-browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [360, 800, 1440];
/** Maximum size of the transferred scripts and style sheets of a page, bytes. */
const TRANSFER_BUDGET = 60 * 1024;
const SHIFT_BUDGET = 0.05;

let fleet: ShownFleet;
let browser: WatchedBrowser;
before(async () => {
  fleet = await ShownFleet.start();
  browser = await WatchedBrowser.launch(fleet.base);
});
after(async () => {
  await browser?.close();
  await fleet?.stop();
});

/** Returns the card (list entry) of a server on the page of all servers. */
const cardOf = (page: Page, index: number) =>
  page.locator(`li[data-server="counterstrike2/${fleet.servers[index]?.address}"]`);

describe('the page of all servers in a browser', () => {
  it('shows all servers even if the browser runs no scripts', async () => {
    const page = await browser.open('/', { javaScriptEnabled: false });
    assert.equal(await page.locator('.cards > li').count(), fleet.servers.length);
    assert.equal(await cardOf(page, 0).locator('h2').innerText(), 'Vanilla EU');
    await page.locator('input[name=q]').fill('dust');
    await page.locator('button[type=submit]').click();
    assert.equal(await page.locator('.cards > li').count(), 1);
    await page.context().close();
  });

  it('shows a change of a server without a reload', async () => {
    const page = await browser.open('/');
    await cardOf(page, 1).getByText('9 of 20 players').waitFor();
    fleet.setPlayers(1, 17);
    await cardOf(page, 1).getByText('17 of 20 players').waitFor();
    await page.context().close();
  });

  it('searches while the user types, and puts the search into its URL', async () => {
    const page = await browser.open('/');
    await page.locator('input[name=q]').click();
    await page.keyboard.type('awp');
    await page.getByText('1 server', { exact: true }).waitFor();
    assert.equal(await page.locator('.cards > li').count(), 1);
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'q');
    assert.equal(new URL(page.url()).search, '?q=awp');
    await page.locator('select[name=status]').selectOption('offline');
    await page.getByText('No server matches.').waitFor();
    await page.context().close();
  });

  it('shows an error message if a search fails, and keeps the servers and links of the previous search', async () => {
    const page = await browser.open('/');
    await page.route(/\/v1\/servers\?/, async route => {
      if (!route.request().url().endsWith('q=dust')) return route.fulfill({ status: 404, json: {} });
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), next_page_token: 'further' } });
    });
    await page.locator('input[name=q]').fill('dust');
    const next = page.locator('a[rel=next]');
    await next.waitFor();
    await page.locator('input[name=q]').fill('awp');
    await page.locator('[role=status]', { hasText: 'The search failed.' }).waitFor();
    fleet.setPlayers(1, 11);
    await cardOf(page, 1).getByText('11 of 20 players').waitFor();
    assert.equal(await next.getAttribute('href'), '/?q=dust&page_token=further');
    assert.equal(await page.evaluate(() => location.search), '?q=dust');
    await page.context().close();
  });

  it('can be used with the keyboard alone', async () => {
    const page = await browser.open('/');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the content');
    assert.ok((await page.locator('.skip').boundingBox())?.x ?? -1 >= 0, 'the skip link is visible');
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      const outline = await page.evaluate(
        () => getComputedStyle(document.activeElement as Element).outlineStyle,
      );
      assert.notEqual(outline, 'none', `stop ${i} shows no focus`);
      if (await page.evaluate(() => document.activeElement?.matches('.card h2 a') ?? false)) break;
    }
    await page.keyboard.press('Enter');
    await page.locator('#chart').waitFor();
    assert.match(page.url(), /\/server\/counterstrike2\//);
    await page.context().close();
  });
});

describe('the page of a server in a browser', () => {
  it('shows the name, the players and a chart of the server even if the browser runs no scripts', async () => {
    const page = await browser.open(fleet.pathOf(2), { javaScriptEnabled: false });
    assert.equal(await page.locator('h1').innerText(), 'Awp only');
    assert.equal(await page.locator('svg.chart').count(), 1);
    assert.equal(await page.locator('section[aria-labelledby=players] tbody tr').count(), 8);
    await page.locator('.ranges a', { hasText: 'week' }).click();
    assert.equal(await page.locator('.ranges a[aria-current]').innerText(), 'week');
    await page.context().close();
  });

  it('shows changes without a reload, and the chart and the table of a year when the user clicks "year"', async () => {
    const page = await browser.open(fleet.pathOf(2));
    await page.locator('#chart canvas').waitFor();
    fleet.setPlayers(2, 3);
    await page.locator('#now').getByText('3 of 20 players').waitFor();
    const loaded = page.waitForResponse(response => response.url().includes('step=86400s'));
    await page.locator('.ranges a', { hasText: 'year' }).click();
    assert.equal((await loaded).status(), 200);
    await page.locator('.ranges a[aria-current]', { hasText: 'year' }).waitFor();
    assert.equal(await page.evaluate(() => location.search), '?range=year');
    const rows = page.locator('#figures th[scope=row]');
    assert.match(
      (await rows.first().textContent()) ?? '',
      /^\d{4}-\d\d-\d\d$/,
      'the row of a day has a date',
    );
    const label = await page.locator('#chart canvas[role=img]').getAttribute('aria-label');
    assert.match(label ?? '', /number of players|Players over time/);
    await page.context().close();
  });

  it('shows an error message if another time range cannot be loaded, and keeps the previous chart and the page URL', async () => {
    const page = await browser.open(fleet.pathOf(2));
    await page.locator('#chart canvas').waitFor();
    await page.route(/step=1800s/, route => route.fulfill({ status: 404, json: {} }));
    await page.locator('.ranges a', { hasText: 'week' }).click();
    await page.locator('[role=status]', { hasText: 'could not be loaded' }).waitFor();
    assert.equal(await page.locator('.ranges a[aria-current]').innerText(), 'day');
    assert.equal(await page.evaluate(() => location.search), '');
    await page.context().close();
  });

  it('shows the only sample of a time range as a point in the chart', async () => {
    const page = await browser.open(fleet.pathOf(2), { colorScheme: 'light' });
    await page.locator('#chart canvas').waitFor();
    const sample = { players_mean: 4, players_max: 4, online_share: 1, known_share: 1 };
    const samples = Array.from({ length: 336 }, (_, i) => (i === 100 ? sample : null));
    const range = { from: '2026-11-24T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' };
    await page.route(/step=1800s/, route =>
      route.fulfill({ json: { ...range, step_seconds: 1_800, samples } }),
    );
    await page.locator('.ranges a', { hasText: 'week' }).click();
    await page.locator('.ranges a[aria-current]', { hasText: 'week' }).waitFor();
    const hasPoint = () =>
      page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('#chart canvas');
        const { data } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
        // The chart draws mean player counts in this colour: --link in base.css.
        return data?.some((red, i) => i % 4 === 0 && red === 5 && data[i + 1] === 80 && data[i + 2] === 174);
      });
    await until('the chart has a point', hasPoint, isDrawn => isDrawn === true);
    await page.context().close();
  });

  it('says that the service no longer tracks the server if an event reports this', async () => {
    const page = await browser.open(fleet.pathOf(2));
    const servers = [{ game_id: 'counterstrike2', server: fleet.servers[2]?.address, tracked: false }];
    const line = { event: 'snapshot', id: '', data: { servers, more: false } };
    await page.route(/\/v1\/events\?/, route => route.fulfill({ body: `${JSON.stringify(line)}\n` }));
    // When the tab becomes visible, the page opens a new event stream.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.locator('#now').getByText('no longer tracks this server').waitFor();
    assert.equal(await page.locator('h1').innerText(), 'Awp only');
    assert.equal(await page.locator('#now .status').count(), 0);
    await page.context().close();
  });
});

describe('the embed code of a server', () => {
  it('is copied to the clipboard when the user clicks its button', async () => {
    const page = await browser.open(fleet.pathOf(0));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.snippets button').first().click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^\[!\[Server status\]\(http:.*\/badge\/counterstrike2\//);
    await page.context().close();
  });
});

describe('the page /docs in a browser', () => {
  it('sends the typed token with requests, and forgets it when the tab closes', async () => {
    const page = await browser.open('/docs');
    await page.locator('input[name=token]').fill(bootstrap.token);
    await page.locator('select[name=tier]').selectOption(bootstrap.tier);
    await page.locator('input[name=email]').fill(bootstrap.email);
    await page
      .locator('#operations-Webhooks-listWebhooks summary, #operations-Webhooks-listWebhooks button')
      .first()
      .click();
    const answered = page.waitForResponse(response => response.url().endsWith('/v1/webhooks'));
    await page.locator('#operations-Webhooks-listWebhooks .execute').click();
    assert.equal((await answered).status(), 200);
    await page.reload();
    assert.equal(await page.locator('input[name=token]').inputValue(), bootstrap.token);
    await page.context().close();
    const next = await browser.open('/docs');
    assert.equal(await next.locator('input[name=token]').inputValue(), '');
    await next.context().close();
  });
});

describe('each page in a browser', () => {
  const paths = () => [
    '/',
    '/status',
    '/docs',
    fleet.pathOf(0),
    ...fleet.servers.slice(3).map((_, i) => fleet.pathOf(i + 3)),
    '/server/rust/127.0.0.9:1',
  ];

  it('fits into a narrow window, even with hostile texts from game servers', async () => {
    for (const path of paths()) {
      const page = await browser.open(path, { width: 360, height: 740 });
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wider <= 0, `${path} is ${wider} px too wide`);
      await page.context().close();
    }
  });

  it('has no serious accessibility problem in any width and colour scheme', async () => {
    for (const path of ['/', '/status', '/docs', fleet.pathOf(0), '/server/rust/127.0.0.9:1']) {
      for (const width of WIDTHS) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await browser.open(path, { width, colorScheme });
          await page.evaluate(AXE);
          const found = await page.evaluate(async () => {
            const { violations } = await (
              globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
            ).axe.run();
            interface Violation {
              id: string;
              impact: string;
              nodes: { html: string }[];
            }
            return violations
              .filter(({ impact }) => impact === 'serious' || impact === 'critical')
              .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
          });
          assert.deepEqual(found, [], `${path} ${width} ${colorScheme}`);
          await page.context().close();
        }
      }
    }
  });

  it('loads at most 60 KiB of scripts and style sheets, with little layout shift', async () => {
    for (const path of ['/', fleet.pathOf(0)]) {
      const page = await browser.open(path);
      await (path === '/' ? cardOf(page, 0).waitFor() : page.locator('#chart canvas').waitFor());
      const { bytes, shift } = await page.evaluate(async () => {
        const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
        const assets = files.filter(({ name }) => /\/assets\/.*\.(?:js|css)$/.test(name));
        const shifts = await new Promise<PerformanceEntry[]>(resolve => {
          new PerformanceObserver(list => resolve(list.getEntries())).observe({
            type: 'layout-shift',
            buffered: true,
          });
          setTimeout(() => resolve([]), 500);
        });
        return {
          bytes: assets.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
          shift: shifts.reduce(
            (sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value,
            0,
          ),
        };
      });
      assert.ok(bytes > 0 && bytes <= TRANSFER_BUDGET, `${path}: ${bytes} bytes`);
      assert.ok(shift <= SHIFT_BUDGET, `${path}: layout shift ${shift}`);
      await page.context().close();
    }
  });

  it('causes no error, no violation of its Content-Security-Policy, and no request to another host', () => {
    const expected = /status of 404 \(Not Found\)/;
    assert.deepEqual(
      browser.faults.filter(fault => !expected.test(fault)),
      [],
    );
  });
});
