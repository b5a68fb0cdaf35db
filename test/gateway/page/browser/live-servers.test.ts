import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import { describe, it } from 'node:test';
import type { RestServerRef, WatchEvent } from '../../../../client/rest-client.ts';
import { keyOf, LiveServers } from '../../../../gateway/page/browser/parts/live-servers.ts';
import type { ShownServer } from '../../../../gateway/page/views/shown-server.ts';
import { serverWith } from '../views/hostile-texts.ts';

const SERVER = serverWith('Vanilla');
const KEY = keyOf(SERVER);
const PENDING: ShownServer = { ...SERVER, _updater: { ...SERVER._updater, status: 'pending' } };

type States = ReadonlyMap<string, ShownServer | undefined>;

const snapshot = (server: ShownServer): WatchEvent => ({ type: 'snapshot', servers: [server], more: false });

/** An open page: its tab, its event streams, and its timer. The test simulates the service and the user. */
class OpenPage {
  readonly tab = {
    hidden: false,
    addEventListener: (_type: string, listener: () => void) => this.#visibility.push(listener),
  };
  readonly signals: AbortSignal[] = [];
  /** The timers that have not been cancelled. */
  readonly timers = new Map<() => void, number>();
  readonly #visibility: (() => void)[] = [];
  readonly #streams: ReadableStreamDefaultController<WatchEvent>[] = [];
  readonly #told = new EventEmitter<{ states: [States] }>();
  readonly live = new LiveServers(states => this.#told.emit('states', states), {
    tab: this.tab,
    watch: (_servers: readonly RestServerRef[], signal) => {
      this.signals.push(signal);
      return new ReadableStream<WatchEvent>({
        start: controller => {
          this.#streams.push(controller);
        },
      });
    },
    after: (ms, callback) => {
      this.timers.set(callback, ms);
      return () => this.timers.delete(callback);
    },
  });

  send(stream: number, event: WatchEvent): void {
    this.#streams[stream]?.enqueue(event);
  }

  refuse(stream: number): void {
    this.#streams[stream]?.error(new Error('refused'));
  }

  /** Resolves to the next states that the page receives. */
  async nextStates(): Promise<States> {
    const [states] = await once(this.#told, 'states');
    return states as States;
  }

  /** Fires the only timer of the page. */
  passTime(): void {
    const [callback] = this.timers.keys();
    assert.ok(callback, 'a timer runs');
    this.timers.delete(callback);
    callback();
  }

  setHidden(isHidden: boolean): void {
    this.tab.hidden = isHidden;
    for (const listener of this.#visibility) listener();
  }

  /** For each event stream that the page has opened, true if it is still open. */
  open(): boolean[] {
    return this.signals.map(({ aborted }) => !aborted);
  }
}

describe('the states of the servers on an open page', () => {
  it('are renewed every five minutes by the snapshot of a new stream, because no event reports the status `pending`', async () => {
    const page = new OpenPage();
    page.live.follow([KEY]);
    const first = page.nextStates();
    page.send(0, snapshot(SERVER));
    assert.equal((await first).get(KEY)?._updater.status, 'online');
    for (const round of [1, 2]) {
      assert.deepEqual([...page.timers.values()], [300_000]);
      page.passTime();
      const next = page.nextStates();
      page.send(round, snapshot(PENDING));
      assert.equal((await next).get(KEY)?._updater.status, 'pending');
    }
    assert.deepEqual(page.open(), [false, false, true]);
  });

  it('are received again after the service has refused a stream', async () => {
    const page = new OpenPage();
    page.live.follow([KEY]);
    page.refuse(0);
    page.passTime();
    const next = page.nextStates();
    page.send(1, snapshot(SERVER));
    assert.ok((await next).has(KEY));
  });

  it('are not received while the tab is hidden, and are received over a new stream when the tab is visible again', () => {
    const page = new OpenPage();
    page.live.follow([KEY]);
    page.setHidden(true);
    assert.deepEqual(page.open(), [false]);
    assert.equal(page.timers.size, 0, 'no timer opens a stream in a hidden tab');
    page.live.follow(['csgo/127.0.0.1:1']);
    assert.deepEqual(page.open(), [false]);
    page.setHidden(false);
    assert.deepEqual(page.open(), [false, true]);
    assert.equal(page.timers.size, 1);
  });

  it('are undefined for a server that is no longer tracked', async () => {
    const page = new OpenPage();
    page.live.follow([KEY]);
    const { game_id, server } = SERVER;
    const next = page.nextStates();
    page.send(0, { type: 'change', server: { game_id, server, tracked: false } });
    const states = await next;
    assert.ok(states.has(KEY));
    assert.equal(states.get(KEY), undefined);
  });

  it('do not come from an old stream after a new stream has begun', async () => {
    const page = new OpenPage();
    page.live.follow([KEY]);
    page.passTime();
    const next = page.nextStates();
    page.send(0, snapshot(SERVER));
    page.send(1, snapshot(PENDING));
    assert.equal((await next).get(KEY)?._updater.status, 'pending');
  });
});
