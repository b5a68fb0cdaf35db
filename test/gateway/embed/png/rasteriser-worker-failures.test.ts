import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Rasteriser } from '../../../../gateway/embed/png/rasteriser.ts';

/** Code of a worker thread that ends at its first image, without the event `error`. */
const ENDING = "require('node:worker_threads').parentPort.on('message', () => process.exit(3))";
/** Code of a worker thread that replies with the SVG source in place of a PNG image. */
const COPYING = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', svg => parentPort.postMessage({ png: Buffer.from(svg) }))`;

/** A fake worker thread. The test emits its events. */
class FakeWorker extends EventEmitter {
  readonly received: string[] = [];
  postMessage(svg: string): void {
    this.received.push(svg);
  }
  unref(): void {}
  async terminate(): Promise<void> {}
}

describe('the rasteriser (draws PNG images from SVG) with a worker thread that fails', {
  timeout: 20_000,
}, () => {
  // Keeps the test process running, because the worker thread of the rasteriser does not.
  let running: NodeJS.Timeout;
  beforeEach(() => {
    running = setInterval(() => {}, 60_000);
  });
  afterEach(() => clearInterval(running));

  it('rejects the image if the worker thread ends without the event `error`, and draws the next images with a new thread', async () => {
    const codes = [ENDING, COPYING];
    const rasteriser = new Rasteriser(() => new Worker(codes.shift() ?? '', { eval: true }));
    const [lost, next] = [rasteriser.draw('a'), rasteriser.draw('b')];
    await assert.rejects(lost, /cannot be drawn: exit code 3/);
    assert.equal(String(await next), 'b');
    assert.equal(String(await rasteriser.draw('a')), 'a');
    await rasteriser.close();
  });

  it('rejects the image if the worker thread cannot start, and draws the next images', async () => {
    let started = 0;
    const rasteriser = new Rasteriser(() => {
      if (++started === 1) throw new Error('ERR_WORKER_INIT_FAILED');
      return new Worker(COPYING, { eval: true });
    });
    await assert.rejects(rasteriser.draw('a'), /ERR_WORKER_INIT_FAILED/);
    assert.equal(String(await rasteriser.draw('b')), 'b');
    assert.equal(String(await rasteriser.draw('a')), 'a');
    await rasteriser.close();
  });

  it('ignores late events of a worker thread that was replaced', async () => {
    const workers: FakeWorker[] = [];
    const rasteriser = new Rasteriser(() => {
      workers.push(new FakeWorker());
      return workers.at(-1) as unknown as Worker;
    });
    const [lost, next] = [rasteriser.draw('a'), rasteriser.draw('b')];
    workers[0]?.emit('error', new Error('out of memory'));
    await assert.rejects(lost, /out of memory/);
    assert.deepEqual(workers[1]?.received, ['b']);
    workers[0]?.emit('message', { png: Buffer.from('a') });
    workers[0]?.emit('error', new Error('again'));
    workers[0]?.emit('exit', 1);
    assert.equal(workers.length, 2);
    workers[1]?.emit('message', { png: Buffer.from('b') });
    assert.equal(String(await next), 'b');
    await rasteriser.close();
  });

  it('rejects the image in progress and all waiting images if the rasteriser is closed', async () => {
    const rasteriser = new Rasteriser(() => new FakeWorker() as unknown as Worker);
    const drawings = Promise.allSettled(['a', 'b', 'c'].map(svg => rasteriser.draw(svg)));
    await rasteriser.close();
    assert.deepEqual(
      (await drawings).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
  });
});
