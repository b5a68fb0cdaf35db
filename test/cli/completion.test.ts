import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { commands } from '../../cli/command-list.ts';
import { withRunnableCommands } from '../../cli/console/invocation.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { gsq } from './gsq-command.ts';

describe('gsq', () => {
  const script = join(scratchDirectory(), 'gsq.bash');
  before(async () => {
    writeFileSync(script, (await gsq({}, 'completion', 'bash')).out);
  });

  /** Completes the last word of a command line in bash. Returns the words that bash would offer. */
  function completed(...line: string[]): string[] {
    const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gsq; echo \${COMPREPLY[*]}`;
    const out = execFileSync('bash', ['-c', program, 'bash', script, 'gsq', ...line], { encoding: 'utf8' });
    return out.split(/\s+/).filter(word => word !== '');
  }

  test('completes commands, subcommands, options, values and games in bash', () => {
    for (const [line, words] of [
      [['to'], ['token', 'top']],
      [
        ['token', 'r'],
        ['revoke', 'rotate'],
      ],
      [
        ['servers', 'list', '--ga'],
        ['--game', '--gateway-ops-addr'],
      ],
      [
        ['servers', 'list', '--game', 'counterstrike'],
        ['counterstrike15', 'counterstrike16', 'counterstrike2'],
      ],
      [
        ['token', 'create', '--type', ''],
        ['FREE', 'PRO'],
      ],
      [['token', 'create', '--type', '=', 'P'], ['PRO']],
      [
        ['webhooks', ''],
        ['list', 'add', 'show', 'log', 'test', 'remove'],
      ],
      [
        ['webhooks', 'add', '--event', 'o'],
        ['online', 'offline'],
      ],
      [['query', 'minecraf'], ['minecraft']],
      [['query', 'minecraft', ''], []],
      [['query', 'minecraft', '127.0.0.1:1', '--secret-file', ''], []],
      [['games', '--data-dir', ''], []],
      [
        ['completion', ''],
        ['bash', 'zsh', 'fish'],
      ],
      [['no-such-command', ''], []],
    ] as const) {
      const found = completed(...line);
      for (const word of words) assert.ok(found.includes(word), `${line.join(' ')}: ${found}`);
      if (words.length < 2) assert.deepEqual(found, [...words], line.join(' '));
    }
  });

  test('completes every command and every option that its help text lists', async () => {
    for (const name of Object.keys(commands)) {
      const help = (await gsq({}, ...name.split(' '), '--help')).out;
      const flags = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag ?? '');
      const offered = completed(...name.split(' '), '--');
      assert.deepEqual(
        flags.filter(flag => !offered.includes(flag)),
        [],
        name,
      );
    }
  });

  test('prints completion scripts that zsh and fish can parse, if these shells are installed', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { status, out } = await gsq({}, 'completion', shell);
      assert.equal(status, 0);
      assert.match(out, /token/);
      assert.match(out, /minecraft/);
      const parsed = spawnSync(shell, ['-n'], { input: out, encoding: 'utf8' });
      if (parsed.error === undefined) assert.equal(parsed.status, 0, parsed.stderr);
    }
  });

  test('prints `npx gsq` instead of `gsq` in messages if the user started it with npx', () => {
    const surroundings = { env: { npm_command: 'exec' }, directory: '/' };
    for (const name of [...Object.keys(commands), '<command>', '--help']) {
      assert.equal(withRunnableCommands(`run gsq ${name}.`, surroundings), `run npx gsq ${name}.`);
      assert.equal(withRunnableCommands(`run npx gsq ${name}.`, surroundings), `run npx gsq ${name}.`);
    }
  });
});
