import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { UsageError } from '../../../cli/console/command.ts';
import { writeNewFile } from '../../../cli/console/new-file.ts';
import { runGsq } from '../../../cli/dispatch.ts';
import type { ListFormat } from '../../../cli/server-list/list-format.ts';
import { Child } from '../../system/child.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { ServiceProcess } from '../../system/service-process.ts';
import { INTERNAL_SECRET } from '../../system/stack-settings.ts';
import { until } from '../../system/until.ts';
import { gsq, piped } from '../gsq-command.ts';
import { withCore } from '../running-core.ts';
import { importAndExport } from './round-trip.ts';

function fileWith(content: string, name = 'list.txt'): string {
  const file = join(scratchDirectory(), name);
  writeFileSync(file, content);
  return file;
}

/** Removes all servers of a core. */
async function removeAll(env: Record<string, string>): Promise<void> {
  const games = new Map<string, string[]>();
  for (const line of (await gsq(env, 'servers', 'export')).out.trimEnd().split('\n')) {
    const [game = '', server = ''] = line.split(' ');
    games.set(game, [...(games.get(game) ?? []), server]);
  }
  for (const [game, servers] of games) await gsq(env, 'servers', 'remove', game, ...servers);
}

describe('gsq servers import and export', () => {
  const env = withCore();

  for (const format of ['text', 'csv', 'jsonl'] satisfies ListFormat[]) {
    test(`\`import\` refuses only the invalid lines of a list in ${format} format, and \`export\` writes all imported servers`, async () => {
      await importAndExport(env, format, 400);
      await removeAll(env);
    });
  }

  test('`import` prints each refused line to stderr, and the totals to stdout', async () => {
    const file = fileWith('csgo 127.0.0.1:27015\nnix 127.0.0.1:1\ncsgo a\x1b[31m\nx\ncsgo 127.0.0.1:27015\n');
    const { status, out, talk } = await gsq(env, 'servers', 'import', file);
    assert.equal(status, 1);
    assert.equal(out, '5 read, 1 inserted, 1 already tracked, 3 refused\n');
    const [unknown, malformed, short] = talk.trimEnd().split('\n');
    assert.match(unknown ?? '', /^line 2: nix 127\.0\.0\.1:1: No game .* \(unknown_game\)$/);
    assert.match(
      malformed ?? '',
      /^line 3: csgo a \[31m: The address has no port; .* \(malformed_address\)$/,
    );
    assert.match(short ?? '', /^line 4: The line has one word; .* \(missing_value\)$/);
    const good = await gsq(env, 'servers', 'import', fileWith('127.0.0.1:27016\n'), '--game', 'cs2');
    assert.deepEqual([good.status, good.talk], [0, '']);
    assert.equal(good.out, '1 read, 1 inserted, 0 already tracked, 0 refused\n');
  });

  test('`import` reads a list from stdin, and `export` writes a list to stdout', async () => {
    const command = [process.execPath, '--import', './runtime/typescript.mjs', 'cli/gsq.ts', 'servers'].join(
      ' ',
    );
    const script = `printf 'address;game_id\\r\\n127.0.0.1:4242;rust\\r\\n' | ${command} import - &&
      ${command} export - --game rust --format jsonl`;
    const child = await Child.start('sh', () => ['-c', script], { env });
    assert.equal(await child.ended, 0, child.report);
    assert.equal(
      child.output,
      '1 read, 1 inserted, 0 already tracked, 0 refused\n{"game_id":"rust","server":"127.0.0.1:4242"}\n',
    );
  });

  test('`import` adds all valid servers even if its stdout is a pipe that the reader closes early', async () => {
    const lines = Array.from({ length: 1100 }, (_, i) => `rust 127.0.2.1:${20_000 + i}\nrust nix${i}\n`);
    const file = fileWith(lines.join(''));
    const args = ['--import', './runtime/typescript.mjs', 'cli/gsq.ts', 'servers', 'import', file, '--json'];
    const child = await Child.start(process.execPath, () => args, { env });
    child.process.stdout?.destroy();
    assert.equal(await child.ended, 1, child.report);
    const { out } = await gsq(env, 'servers', 'export', '--game', 'rust');
    assert.equal(out.match(/127\.0\.2\.1:/g)?.length, 1100);
  });

  test('`import --json` escapes the control characters and bidi controls of the file', async () => {
    const server = 'a\u009b31m\u202eb';
    const { out } = await gsq(env, 'servers', 'import', fileWith(`csgo ${server}\n`), '--json');
    assert.doesNotMatch(out, /[\u0080-\u009f\u202e]/);
    assert.equal(JSON.parse(out).refused_lines[0].server, server);
  });

  test('`import` shortens a very long address in the error message about this address', async () => {
    const { talk } = await gsq(env, 'servers', 'import', fileWith(`csgo ${'x'.repeat(60_000)}\n`));
    assert.match(talk, /^line 1: csgo x{80}…: The address is longer than 259 characters\. /);
  });

  test('`import` shows its progress on a terminal, and removes the progress line before other output', async () => {
    const file = fileWith(`${'csgo 127.0.0.1:27015\n'.repeat(999)}csgo nix\n`);
    const events: string[] = [];
    const status = await runGsq(['servers', 'import', file], {
      ...piped,
      env: { PATH: process.env.PATH, ...env },
      out: text => events.push(`out ${text}`),
      talk: line => events.push(`talk ${line}`),
      statusLine: { columns: 40, show: text => events.push(`show ${text}`) },
    });
    assert.equal(status, 1);
    assert.match(events[0] ?? '', /^show \[#+-*\] +\d+% 500 read$/);
    assert.equal(events[1], 'show ');
    assert.match(events[2] ?? '', /^talk line 1000: /);
    assert.match(events[3] ?? '', /^show \[#+\] 100% 1000 read, 1 refused$/);
    assert.deepEqual(events.slice(4), [
      'show ',
      'out 1000 read, 0 inserted, 999 already tracked, 1 refused\n',
    ]);
  });

  test('`export --game` writes only the servers of the given game, and a failed export leaves no file', async () => {
    await gsq(env, 'servers', 'add', 'css', '127.0.0.1:7777');
    assert.equal((await gsq(env, 'servers', 'export', '--game', 'css')).out, 'css 127.0.0.1:7777\n');
    const file = fileWith('mine', 'mine.csv');
    const existing = await gsq(env, 'servers', 'export', file);
    assert.deepEqual([existing.status, readFileSync(file, 'utf8')], [2, 'mine']);
    const directory = scratchDirectory();
    const failed = await gsq(env, 'servers', 'export', join(directory, 'new.csv'), '--game', 'nix');
    assert.equal(failed.status, 2);
    assert.deepEqual(readdirSync(directory), []);
    const nowhere = join(directory, 'nowhere', 'new.csv');
    const unwritable = await gsq(env, 'servers', 'export', nowhere);
    assert.equal(unwritable.status, 1);
    assert.match(unwritable.talk, /new\.csv cannot be written: ENOENT/);
    assert.ok(!existsSync(nowhere));
  });

  test('`export` does not overwrite a file that another process creates during the export', async () => {
    const directory = scratchDirectory();
    const path = join(directory, 'new.txt');
    writeFileSync(`${path}.part`, 'mine');
    await writeNewFile(path, 0o666, async file => file.write(Buffer.from('a list')));
    assert.deepEqual(readdirSync(directory).sort(), ['new.txt', 'new.txt.part']);
    assert.deepEqual(
      [path, `${path}.part`].map(file => readFileSync(file, 'utf8')),
      ['a list', 'mine'],
    );
    const late = join(directory, 'late.txt');
    const written = writeNewFile(late, 0o666, async () => writeFileSync(late, 'of another'));
    await assert.rejects(written, UsageError);
    assert.equal(readFileSync(late, 'utf8'), 'of another');
    assert.equal(readdirSync(directory).length, 3);
  });

  test('`export` writes the next page of servers only when stdout can accept more data (backpressure)', async () => {
    const many = Array.from({ length: 1200 }, (_, i) => `127.0.0.1:${20_000 + i}\n`);
    await gsq(env, 'servers', 'import', fileWith(many.join('')), '--game', 'minecraft');
    const events: string[] = [];
    const status = await runGsq(['servers', 'export', '--game', 'minecraft'], {
      ...piped,
      env: { PATH: process.env.PATH, ...env },
      out: text => events.push(`${text.split('\n').length - 1} lines`),
      talk: line => events.push(`talk ${line}`),
      drained: async () => {
        await new Promise(setImmediate);
        events.push('drained');
      },
    });
    assert.deepEqual([status, events], [0, ['1000 lines', 'drained', '200 lines', 'drained']]);
  });

  test('`import` and `export` exit with 2 after a usage error, and with 1 if the list cannot be read', async () => {
    const directory = scratchDirectory();
    for (const [args, status, why] of [
      [['import'], 2, /one file is needed, or - for stdin/],
      [['import', 'a', 'b'], 2, /one file is needed/],
      [['import', fileWith(''), '--format', 'xml'], 2, /"xml" is not a format; write text, csv, jsonl/],
      [['export', 'a', 'b'], 2, /at most one file/],
      [['import', join(directory, 'none')], 1, /the list cannot be read: ENOENT/],
      [['import', directory], 1, /the list cannot be read: EISDIR/],
      [
        ['import', fileWith('csgo,127.0.0.1:1', 'a.csv')],
        1,
        /line 1: The header line has no column "address"/,
      ],
    ] as const) {
      const result = await gsq(env, 'servers', ...args);
      assert.deepEqual([result.status, result.out], [status, ''], result.talk);
      assert.match(result.talk, why);
      assert.ok(!result.talk.includes('run the same command again'));
    }
  });
});

test('gsq servers import --dry-run exits with 1 and tells the user to upgrade the core if the core is too old', async () => {
  const core = new Server();
  const bind = promisify(core.bindAsync.bind(core));
  const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure());
  const env = { GSQ_INTERNAL_ADDR: `127.0.0.1:${port}`, GSQ_INTERNAL_SECRET: INTERNAL_SECRET };
  const file = fileWith('csgo 127.0.0.1:27015');
  const { status, out, talk } = await gsq(env, 'servers', 'import', file, '--dry-run');
  core.forceShutdown();
  assert.deepEqual([status, out], [1, '']);
  assert.match(talk, /^gsq: the core at 127\.0\.0\.1:\d+ is older than this gsq .*; upgrade the core$/m);
});

test('if the core ends during an import, gsq reports the last imported line, and a second import adds the missing servers', async () => {
  const directory = scratchDirectory();
  const settings = {
    GSQ_GRPC_ADDR: '127.0.0.1:0',
    GSQ_INTERNAL_ADDR: '127.0.0.1:0',
    GSQ_CORE_OPS_ADDR: '127.0.0.1:0',
    GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
    GSQ_ALLOW_TARGETS: '127.0.0.0/8',
    GSQ_DATA_DIR: join(directory, 'data'),
  };
  const core = await ServiceProcess.start('core', settings);
  const lines = Array.from({ length: 2000 }, (_, i) => `csgo 127.0.0.1:${20_000 + i}\n`);
  lines[499] = 'csgo nix\n';
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  let [out, talk] = ['', ''];
  const importing = runGsq(['servers', 'import', pipe, '--json'], {
    ...piped,
    env: {
      PATH: process.env.PATH,
      GSQ_INTERNAL_ADDR: core.address('GSQ_INTERNAL_ADDR'),
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
    },
    out: text => {
      out += text;
    },
    talk: line => {
      talk += `${line}\n`;
    },
  });
  const writer = createWriteStream(pipe);
  writer.on('error', () => {});
  writer.write(lines.slice(0, 500).join(''));
  await until(
    'the first refused line',
    () => out,
    text => text.includes('malformed_address'),
  );
  await core.child.stop('SIGKILL');
  writer.end(lines.slice(500).join(''));
  assert.equal(await importing, 5, talk);
  assert.match(talk, /no answer from the core at .*\nThe import stopped\. It is done up to line 500\. /s);
  const { complete, inserted, refused } = JSON.parse(out) as Record<string, unknown>;
  assert.deepEqual({ complete, inserted, refused }, { complete: false, inserted: 499, refused: 1 });

  const next = await ServiceProcess.start('core', settings);
  const again = await gsq(
    { GSQ_INTERNAL_ADDR: next.address('GSQ_INTERNAL_ADDR'), GSQ_INTERNAL_SECRET: INTERNAL_SECRET },
    'servers',
    'import',
    fileWith(lines.join('')),
  );
  assert.equal(again.out, '2000 read, 1500 inserted, 499 already tracked, 1 refused\n', again.talk);
  assert.equal(await next.child.stop(), 0);
});
