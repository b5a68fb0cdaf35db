import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { PageBudget } from '../../../gateway/page-thread/page-budget.ts';
import { PageThread } from '../../../gateway/page-thread/page-thread.ts';
import { overloaded } from '../../../gateway/upstream/core-errors.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { createLogger } from '../../../runtime/log.ts';

const setup = {
  route: { address: '127.0.0.1:1', host: '127.0.0.1', tls: undefined },
  secret: 'secret',
  timeoutMs: 1000,
  isOn: true,
  publicUrl: undefined,
  isTls: false,
  contact: undefined,
  logLevel: 'silent',
  logFormat: 'json' as const,
};

describe('the thread that builds pages', () => {
  let ms = 0;
  let pages: PageThread;
  /** The time limits of the requests in progress: how long each is, and what happens at its end. */
  const timers = new Set<{ ms: number; callback: () => void }>();
  // A timer that keeps the test process running. The thread that builds pages does not keep it running, because the
  // gateway calls `unref` on this thread.
  let running: NodeJS.Timeout;

  beforeEach(() => {
    ms = 0;
    timers.clear();
    running = setInterval(() => {}, 60_000);
    pages = new PageThread({
      setup,
      budget: new PageBudget(),
      log: createLogger('test', 'silent'),
      now: () => ms,
      after: (wait, callback) => {
        const timer = { ms: wait, callback };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      script: new URL('./scripted-worker.ts', import.meta.url),
    });
  });
  afterEach(async () => {
    clearInterval(running);
    await pages.close();
  });

  const build = (path: string, isGone = () => false) =>
    pages.build(
      'list_page',
      {
        path,
        variables: {},
        query: '',
        id: 'r1',
        caller: { address: '127.0.0.1', domain: '' },
        traceparent: undefined,
        host: 'localhost',
        acceptsHtml: true,
        acceptsGzip: true,
        ifNoneMatch: '',
      },
      isGone,
    );
  const isCore1 = (error: unknown) => error instanceof ServiceError && error.code === 'CORE_1';

  it('starts when the first page is requested, and sends the finished page to the main thread', async () => {
    const busyBefore = pages.busy;
    assert.equal(busyBefore, undefined);
    const reply = await build('/page');
    assert.equal(reply.status, 200);
    assert.equal(String(reply.body), '/page');
    assert.equal(reply.headers?.['X-Text'], '/page');
    assert.equal(pages.busy?.status, 503);
  });

  it('builds nothing for a caller that closed its connection', async () => {
    await assert.rejects(
      build('/silent', () => true),
      isCore1,
    );
    assert.equal((await build('/page')).status, 200);
  });

  it('passes its error `overloaded` on to the caller of build()', async () => {
    await assert.rejects(build('/overloaded'), error => error === overloaded);
  });

  it('continues to build pages after a page has failed because of a bug', async () => {
    await assert.rejects(build('/failed'), /a bug in a page/);
    assert.equal((await build('/page')).status, 200);
  });

  it('is replaced by a new thread if it does not reply in time, so that no request waits forever', async () => {
    assert.equal((await build('/page')).status, 200);
    assert.equal(timers.size, 0);
    // Two requests run at a time: `PageBudget` allows no more.
    const silent = [build('/silent'), build('/silent')];
    await new Promise(resolve => setImmediate(resolve));
    const [timer] = timers;
    assert.ok(timer);
    // The time limit is 33 s: 1 s for each of three calls to the core, and 30 s to build the page.
    assert.equal(timer.ms, 33_000);
    timer.callback();
    for (const request of silent) await assert.rejects(request, isCore1);
    assert.equal(timers.size, 0);
    ms = 1000;
    assert.equal((await build('/page')).status, 200);
  });

  for (const path of ['/end', '/throw']) {
    it(`is replaced by a new thread one second after the request ${path} makes it exit`, async () => {
      const silent = build('/silent');
      const ended = build(path);
      await assert.rejects(silent, isCore1);
      await assert.rejects(ended, isCore1);
      ms = 999;
      await assert.rejects(build('/page'), isCore1);
      ms = 1000;
      assert.equal((await build('/page')).status, 200);
    });
  }
});
