import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RestServerPage } from '../../../../client/rest-types.generated.ts';
import { keyOf } from '../../../../gateway/page/browser/parts/live-servers.ts';
import { ServerSearch } from '../../../../gateway/page/browser/parts/server-search.ts';
import type { ListQuery } from '../../../../gateway/page/views/server-list.ts';
import { serverWith } from '../views/hostile-texts.ts';

/** Returns a search result with one server. `name` is the name of the server, and also the token of the next page. */
const resultOf = (name: string): RestServerPage => ({
  servers: [serverWith(name)],
  total_size: 2,
  next_page_token: name,
});

/** Records what a server search shows on the page `/`. The test answers the searches. */
class NotedPage {
  readonly shown: [ListQuery, string][] = [];
  /** Number of servers that the page shows. */
  servers = 0;
  isBusy = false;
  notice = '';
  readonly #answers: { resolve(found: RestServerPage): void; reject(error: Error): void }[] = [];
  readonly search = new ServerSearch(
    {},
    {
      showResult: (query, { servers, next_page_token: next }) => {
        this.shown.push([query, next]);
        this.servers = servers.length;
      },
      setBusy: isBusy => {
        this.isBusy = isBusy;
      },
      setNotice: text => {
        this.notice = text;
      },
    },
    (_query, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        this.#answers.push({ resolve, reject });
      }),
  );

  /** Returns a page that shows the servers of the query `q=old`. */
  static async withResult(): Promise<NotedPage> {
    const page = new NotedPage();
    const search = page.search.search({ q: 'old' });
    page.answer(0, resultOf('old'));
    await search;
    page.shown.length = 0;
    return page;
  }

  answer(index: number, answer: RestServerPage | Error): void {
    if (answer instanceof Error) this.#answers[index]?.reject(answer);
    else this.#answers[index]?.resolve(answer);
  }

  /** Reports a new state of the shown server, as an event does. */
  reportState(): void {
    const server = serverWith('changed');
    this.search.addStates(new Map([[keyOf(server), server]]), () => undefined);
  }
}

describe('the search of the page of all servers', () => {
  it('keeps the old query with the old servers while a search runs', async () => {
    const page = await NotedPage.withResult();
    const search = page.search.search({ q: 'new' });
    assert.equal(page.isBusy, true);
    page.reportState();
    assert.deepEqual(page.shown, [[{ q: 'old' }, 'old']]);
    page.answer(1, resultOf('new'));
    assert.equal((await search)?.next_page_token, 'new');
    assert.deepEqual(page.shown.at(-1), [{ q: 'new' }, 'new']);
    assert.equal(page.isBusy, false);
  });

  it('keeps the old query with the old servers after a search fails, and says that it failed', async () => {
    const page = await NotedPage.withResult();
    const search = page.search.search({ q: 'new' });
    page.answer(1, new Error('503'));
    assert.equal(await search, undefined);
    page.reportState();
    assert.deepEqual(page.shown, [[{ q: 'old' }, 'old']]);
    assert.match(page.notice, /^The search failed\./);
    assert.equal(page.isBusy, false);
  });

  it('removes the message about a failed search when the next search begins', async () => {
    const page = await NotedPage.withResult();
    const failed = page.search.search({ q: 'new' });
    page.answer(1, new Error('503'));
    await failed;
    void page.search.search({ q: 'newer' });
    assert.equal(page.notice, '');
  });

  it('shows no failure message for a search that a newer search has aborted', async () => {
    const page = await NotedPage.withResult();
    const older = page.search.search({ q: 'a' });
    const newer = page.search.search({ q: 'ab' });
    assert.equal(await older, undefined);
    assert.deepEqual([page.notice, page.isBusy], ['', true]);
    page.answer(2, resultOf('ab'));
    await newer;
    assert.deepEqual(page.shown, [[{ q: 'ab' }, 'ab']]);
    assert.equal(page.isBusy, false);
  });

  it('removes a server that is no longer tracked', async () => {
    const page = await NotedPage.withResult();
    assert.equal(page.servers, 1);
    page.search.addStates(new Map([[keyOf(serverWith('old')), undefined]]), () => undefined);
    assert.equal(page.servers, 0);
  });
});
