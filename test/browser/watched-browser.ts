import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Settings of a browser window: its size, its colour scheme, and whether scripts run. */
export interface WindowOptions {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  javaScriptEnabled?: boolean;
}

const PATHS = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/**
 * A Chromium browser. Records everything that a page must not do: errors on the console, violations of the page's
 * Content-Security-Policy, and requests to other hosts.
 */
export class WatchedBrowser {
  /** Descriptions of all forbidden things that the opened pages did, such as errors on the console. */
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #base: string;
  readonly #allowed: readonly string[];

  private constructor(browser: Browser, base: string, allowed: readonly string[]) {
    this.#browser = browser;
    this.#base = base;
    this.#allowed = [base, ...allowed];
  }

  /**
   * Starts the browser. `base`: URL of the gateway. `allowed`: URLs on other hosts that pages may use. Rejects if
   * Chromium is not installed; see scripts/install-browser.sh.
   */
  static async launch(base: string, allowed: readonly string[] = []): Promise<WatchedBrowser> {
    const executablePath = PATHS.find(path => path !== '' && existsSync(path));
    if (executablePath === undefined)
      throw new Error('Chromium is not installed; run scripts/install-browser.sh');
    // Chromium cannot use its sandbox if root runs it. Running it without the sandbox is safe, because the browser
    // opens only pages of this test.
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    return new WatchedBrowser(browser, base, allowed);
  }

  /** Opens a path of the gateway in a new window. */
  async open(path: string, options: WindowOptions = {}): Promise<Page> {
    const { width = 1440, height = 900, ...rest } = options;
    const context = await this.#browser.newContext({ viewport: { width, height }, ...rest });
    await this.#watch(context);
    const page = await context.newPage();
    await page.goto(this.#base + path);
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async #watch(context: BrowserContext): Promise<void> {
    context.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') this.faults.push(message.text());
    });
    context.on('weberror', error => this.faults.push(String(error.error())));
    context.on('request', request => {
      const isAllowed = this.#allowed.some(base => request.url().startsWith(`${base}/`));
      if (!isAllowed && !request.url().startsWith('data:')) this.faults.push(`a request to ${request.url()}`);
    });
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        console.error(`violates ${violatedDirective}: ${blockedURI}`);
      });
    });
  }
}
