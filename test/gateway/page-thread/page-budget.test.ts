import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PageBudget } from '../../../gateway/page-thread/page-budget.ts';
import { overloaded } from '../../../gateway/upstream/core-errors.ts';

/** A `PageBudget` with a test clock. `PageBudget` limits the working time of the thread that builds pages. */
class TestBudget {
  ms = 0;
  readonly timers: { at: number; callback: () => void }[] = [];
  readonly budget = new PageBudget({
    now: () => this.ms,
    after: (ms, callback) => this.timers.push({ at: this.ms + ms, callback }),
  });

  /** Runs a task that keeps the worker thread busy for `cost` ms. */
  run(cost: number): Promise<string> {
    return this.budget.run(async () => {
      this.ms += cost;
      return { result: 'page', ms: cost };
    });
  }

  /** Advances the test clock to the time of the next timer, and calls the function of this timer. */
  async runTimer(): Promise<void> {
    const [timer] = this.timers.splice(0, 1);
    assert.ok(timer, 'the budget waits for no timer');
    this.ms = Math.max(this.ms, timer.at);
    timer.callback();
    await settled();
  }
}

/** Waits for one iteration of the event loop, so that all waiting promise callbacks run. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

describe('PageBudget (limits the working time of the page thread)', () => {
  it('runs a task immediately if time is left', async () => {
    assert.equal(await new TestBudget().run(1), 'page');
  });

  it('delays further tasks after a burst of tasks, so that the thread then works about 25 % of the time', async () => {
    const test = new TestBudget();
    let built = 0;
    for (let i = 0; i < 30; i++) void test.run(20).then(() => built++);
    await settled();
    assert.ok(built > 1 && built < 30, `${built} of 30 at once`);
    const [before, at] = [built, test.ms];
    while (built < 30) await test.runTimer();
    const share = ((30 - before) * 20) / (test.ms - at);
    assert.ok(share > 0.15 && share <= 0.35, `${share} of the time`);
  });

  it('refuses further tasks if too many tasks wait', async () => {
    const { budget } = new TestBudget();
    const never = () => new Promise<never>(() => {});
    let refused = 0;
    while (!budget.isFull) budget.run(never).catch(() => refused++);
    await assert.rejects(budget.run(never), error => error === overloaded);
    assert.equal(refused, 0);
  });

  it('still runs tasks after ten tasks have failed', async () => {
    const test = new TestBudget();
    for (let i = 0; i < 10; i++)
      await assert.rejects(
        test.budget.run(async () => Promise.reject(new Error('no data'))),
        /no data/,
      );
    assert.equal(await test.run(1), 'page');
  });
});
