import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { openLiveScreen } from '../../../cli/console/live-screen.ts';

const SCREEN_ENTERED = '\x1b[?1049h\x1b[?25l';
const SCREEN_LEFT = '\x1b[?25h\x1b[?1049l';

/** Opens a live screen (a full screen that is redrawn in place) on a fake terminal of 20 columns and 5 rows. */
function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode(mode: boolean) {
      modes.push(mode);
      return this;
    },
  });
  let text = '';
  const output = {
    columns: 20,
    rows: 5,
    write(part: string) {
      text += part;
      return true;
    },
  };
  const screen = openLiveScreen(input as never, output as never);
  return { input, screen, modes, written: () => text };
}

test('the live screen of gsq top truncates its content to the size of the terminal, and clears its previous content', () => {
  const { screen, written } = terminal();
  screen.draw(['x'.repeat(30), 'b', 'c', 'd', 'e']);
  screen.close();
  const shown = ['x'.repeat(20), 'b', 'c', 'd'].map(line => `${line}\x1b[K`).join('\r\n');
  assert.equal(written(), `${SCREEN_ENTERED}\x1b[H${shown}\r\n\x1b[J${SCREEN_LEFT}`);
});

for (const [name, key] of Object.entries({ q: 'q', 'Ctrl-C': '\x03', 'Ctrl-D': '\x04' })) {
  test(`the live screen of gsq top quits when the user presses ${name}, and restores the terminal exactly once`, async () => {
    const before = process.listenerCount('SIGTERM');
    const { input, screen, modes, written } = terminal();
    input.write(`x${key}`);
    await screen.left;
    screen.close();
    screen.close();
    assert.deepEqual(modes, [true, false]);
    assert.equal(written(), SCREEN_ENTERED + SCREEN_LEFT);
    assert.equal(process.listenerCount('SIGTERM'), before);
    assert.ok(input.isPaused());
  });
}

test('the live screen of gsq top quits if the terminal is closed or a signal arrives, and ignores keys that have no function', async () => {
  const gone = terminal();
  gone.input.end('abc');
  await gone.screen.left;
  gone.screen.close();
  const ended = terminal();
  process.emit('SIGTERM');
  await ended.screen.left;
  ended.screen.close();
  const stays = terminal();
  stays.input.write('abc');
  await new Promise(setImmediate);
  assert.equal(await Promise.race([stays.screen.left, 'still there']), 'still there');
  stays.screen.close();
});
