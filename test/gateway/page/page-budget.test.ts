import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PageBudget } from '../../../gateway/page/page-budget.ts';
import { ServiceError } from '../../../proto/service-error.ts';

/** A budget with a clock that only the test advances. */
class TestBudget {
  ms = 0;
  readonly timers: { at: number; callback: () => void }[] = [];
  readonly budget = new PageBudget({
    now: () => this.ms,
    after: (ms, callback) => this.timers.push({ at: this.ms + ms, callback }),
  });

  /** Asks for a page that takes `cost` ms to render. */
  ask(cost: number): Promise<string> {
    return this.budget.build(
      async () => 'data',
      data => {
        this.ms += cost;
        return data;
      },
    );
  }

  /** Advances the clock to the next timer, and calls it. */
  async runTimer(): Promise<void> {
    const [timer] = this.timers.splice(0, 1);
    assert.ok(timer, 'the budget waits for no timer');
    this.ms = Math.max(this.ms, timer.at);
    timer.callback();
    await settled();
  }
}

/** Resolves when all promises that can settle now have settled. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

describe('the budget of main-thread time for building pages', () => {
  it('builds a page immediately if time is left', async () => {
    const { budget } = new TestBudget();
    assert.equal(
      await budget.build(
        async () => 1,
        data => data + 1,
      ),
      2,
    );
  });

  it('makes pages wait after a burst, and then uses about 10 % of the time for them', async () => {
    const test = new TestBudget();
    let built = 0;
    for (let i = 0; i < 30; i++) void test.ask(8).then(() => built++);
    await settled();
    assert.ok(built > 1 && built < 30, `${built} of 30 at once`);
    const [before, at] = [built, test.ms];
    while (built < 30) await test.runTimer();
    const share = ((30 - before) * 10) / (test.ms - at);
    assert.ok(share > 0.05 && share <= 0.15, `${share} of the time`);
  });

  it('refuses further pages if too many pages wait', async () => {
    const test = new TestBudget();
    const outcomes = Array.from({ length: 100 }, () => test.ask(20).catch((error: unknown) => error));
    await settled();
    const early = await Promise.race([Promise.any(outcomes.toReversed()), settled()]);
    assert.ok(early instanceof ServiceError && early.code === 'CORE_1', String(early));
  });

  it('still builds pages after ten pages that failed', async () => {
    const test = new TestBudget();
    for (let i = 0; i < 10; i++)
      await assert.rejects(
        test.budget.build(
          async () => Promise.reject(new Error('no data')),
          () => '',
        ),
        /no data/,
      );
    assert.equal(await test.ask(1), 'data');
  });
});
