import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Directories, type DirectoriesOptions } from '../../../prober/directories/directories.ts';
import { WINDOW_MS } from '../../../prober/directories/request-rate-limit.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { questionAbout } from './game-of-directory.ts';
import { game } from './games.ts';

const SPINNING = new URL('./spinning-worker.ts', import.meta.url);

describe('the thread for look-ups in directories (server lists)', () => {
  function opened(more: Partial<DirectoriesOptions> = {}) {
    const clock = { now: 0 };
    const wheel = new TimerWheel(() => clock.now);
    const warnings: string[] = [];
    const asked = new Directories({
      wheel,
      userAgent: 'test',
      optIn: [],
      dnsServers: [],
      warn: message => warnings.push(message),
      script: SPINNING,
      ...more,
    });
    return { asked, clock, wheel, warnings };
  }
  const question = (protocol: string) => ({ ...questionAbout(game('altvmp')), protocol });

  test('is replaced if it hangs, and all look-ups fail for one minute after the replacement', async () => {
    const { asked, clock, wheel, warnings } = opened();
    assert.equal((await asked.ask(question('refuses'))).kind, 'not-listed');
    const stuck = asked.ask(question('spins'));
    let killed = false;
    stuck.then(() => {
      killed = true;
    });
    while (!killed) {
      clock.now += 25;
      wheel.turn();
      await new Promise(resolve => setImmediate(resolve));
    }
    assert.equal((await stuck).kind, 'fault');
    while (warnings.length < 2) await new Promise(resolve => setImmediate(resolve));
    const quiet = await asked.ask(question('any'));
    assert.deepEqual(quiet, {
      kind: 'directory-unavailable',
      detail: 'the thread of the directories was replaced',
      retryAfterMs: WINDOW_MS,
    });
    clock.now += WINDOW_MS;
    const answer = await asked.ask(question('any'));
    assert.match('detail' in answer ? answer.detail : '', /^api\.alt-mp\.com 3[45]\d{5}(\.\d+)?$/);
    await asked.close();
    assert.deepEqual(await asked.ask(question('any')), { kind: 'fault', detail: 'closed' });
  });

  test('answers unfinished look-ups with `fault` (local error) when it is closed', async () => {
    const { asked, warnings } = opened();
    const waiting = asked.ask(question('any'));
    await asked.close();
    assert.equal((await waiting).kind, 'fault');
    assert.deepEqual(warnings, []);
  });
});
