import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { typescript } from '../../runtime/script.ts';
import { settings } from '../../runtime/settings.ts';
import { Child, type Ending } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET, processNames, stackDefaults } from '../system/stack-settings.ts';

/** Runs a script of gsq, and waits until it ends. */
async function ended(
  args: string[],
  env: Record<string, string>,
): Promise<{ ending: Ending; output: string; home: string }> {
  const child = await Child.start(process.execPath, () => ['--import', typescript, ...args], { env });
  const ending = await child.ended;
  return { ending, output: child.output, home: child.home };
}

const entries = {
  ...Object.fromEntries(processNames.map(name => [name, [`${name}/main.ts`]])),
  'gsq start': ['cli/gsq.ts', 'start'],
};

describe('the option --print-config', () => {
  for (const [name, args] of Object.entries(entries)) {
    test(`prints the settings of ${name} without secrets, and does not start the process`, async () => {
      const folder = scratchDirectory();
      const secretFile = join(folder, 'secret');
      writeFileSync(secretFile, INTERNAL_SECRET, { mode: 0o600 });
      const { GSQ_INTERNAL_SECRET: _, ...others } = stackDefaults;
      const env = { ...others, GSQ_INTERNAL_SECRET_FILE: secretFile, GSQ_DATA_DIR: join(folder, 'data') };
      const { ending, output } = await ended([...args, '--print-config', '--max-servers', '7'], env);
      assert.equal(ending, 0, output);
      const lines = output.trimEnd().split('\n');
      assert.deepEqual(
        lines.map(line => /^#?(\w+?)(?:_FILE)?=/.exec(line)?.[1]),
        Object.keys(settings),
      );
      for (const line of [
        'GSQ_MAX_SERVERS=7  # flag',
        'GSQ_PROBE_INTERVAL=500ms  # environment',
        'GSQ_STORE=leveldb  # default',
        `GSQ_INTERNAL_SECRET_FILE=${secretFile}  # file named by environment; GSQ_INTERNAL_SECRET=<hidden>`,
        '#GSQ_BOOTSTRAP_TOKEN=<hidden>  # environment',
        `GSQ_LOG_LEVEL=${name === 'gsq start' ? 'warn  # gsq start' : 'info  # default'}`,
      ]) {
        assert.ok(lines.includes(line), `${line}\nis not in\n${output}`);
      }
      assert.ok(!output.includes(INTERNAL_SECRET) && !output.includes(others.GSQ_BOOTSTRAP_TOKEN ?? ''));
      assert.equal(existsSync(env.GSQ_DATA_DIR), false);
    });

    test(`refuses the same invalid settings as a normal start of ${name}`, async () => {
      const refused: [env: Record<string, string>, message: RegExp][] = [
        [
          { GSQ_INTERNAL_SECRET: 'fifteen-letters' },
          /^gsq: GSQ_INTERNAL_SECRET: is too short; at least 16 char/,
        ],
        [{ GSQ_INTERNAL_ADDR: '10.0.0.1:1' }, /^gsq: GSQ_INTERNAL_ADDR: 10\.0\.0\.1:1 is not loopback/],
      ];
      const runs = refused.map(([env]) => ended([...args, '--print-config'], env));
      for (const [i, { ending, output }] of (await Promise.all(runs)).entries()) {
        assert.equal(ending, 3, output);
        assert.match(output, refused[i]?.[1] ?? /^$/);
        assert.equal(output.trimEnd().split('\n').length, 1, output);
      }
    });
  }

  test('is refused if it follows `npm start` without `--` in between, and the error shows the correct command', async () => {
    const { ending, output } = await ended(['cli/gsq.ts', 'start'], { npm_config_print_config: 'true' });
    assert.equal(ending, 2);
    assert.match(output, /npm start -- --print-config/);
  });
});
