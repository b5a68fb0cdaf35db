import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LatestLoad } from '../../../../gateway/page/browser/parts/latest-load.ts';

/** Requests for data that the test can answer in any order. */
class PendingLoads {
  readonly signals: AbortSignal[] = [];
  readonly #answers: ((answer: string | Error) => void)[] = [];

  readonly load = (_query: string, signal: AbortSignal): Promise<string> => {
    this.signals.push(signal);
    return new Promise((resolve, reject) => {
      this.#answers.push(answer => (answer instanceof Error ? reject(answer) : resolve(answer)));
    });
  };

  answer(index: number, answer: string | Error): void {
    this.#answers[index]?.(answer);
  }
}

describe('LatestLoad (uses only the answer to the newest request)', () => {
  it('ignores an older answer, even if it arrives after the newer one', async () => {
    const pending = new PendingLoads();
    const loads = new LatestLoad(pending.load);
    const [older, newer] = [loads.start('week'), loads.start('year')];
    pending.answer(1, 'the year');
    assert.equal(await newer, 'the year');
    pending.answer(0, 'the week');
    assert.equal(await older, undefined);
  });

  it('aborts an older request, and ignores its failure', async () => {
    const pending = new PendingLoads();
    const loads = new LatestLoad(pending.load);
    const older = loads.start('week');
    void loads.start('year');
    assert.deepEqual(
      pending.signals.map(({ aborted }) => aborted),
      [true, false],
    );
    pending.answer(0, new Error('aborted'));
    assert.equal(await older, undefined);
  });

  it('rejects if the newest request fails', async () => {
    const pending = new PendingLoads();
    const load = new LatestLoad(pending.load).start('week');
    pending.answer(0, new Error('no answer'));
    await assert.rejects(load, /no answer/);
  });
});
