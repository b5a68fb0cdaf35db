import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runGsq } from '../../cli/dispatch.ts';
import type { BackupLine, BackupServer } from '../../proto/codec/backup-lines.ts';
import { CoreProcess } from '../faults/core-process.ts';
import { Trial } from '../faults/trial.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { piped } from './gsq-command.ts';

const home = scratchDirectory();
const file = join(home, 'backup.ndjson');
const data = join(home, 'data');
const trial = new Trial(data, 5);
let core: CoreProcess;
/** Addresses of the servers whose inserts the core acknowledged before the start of the backup. */
let acknowledged: string[];

async function gsq(...args: string[]): Promise<{ status: number; out: string; talk: string }> {
  let out = '';
  let talk = '';
  const status = await runGsq(args, {
    env: {
      PATH: process.env.PATH,
      GSQ_INTERNAL_ADDR: await core.address('GSQ_INTERNAL_ADDR'),
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
    },
    out: text => {
      out += text;
    },
    ...piped,
    talk: line => {
      talk += `${line}\n`;
    },
  });
  return { status, out, talk };
}

/** Returns the lines between the header and the footer of a backup. */
function linesOf(path: string): BackupLine[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map(line => JSON.parse(line) as BackupLine);
}

const serversOf = (path: string): BackupServer[] =>
  linesOf(path).flatMap(line => ('server' in line ? [line.server] : []));
const tokensOf = (path: string) => linesOf(path).flatMap(line => ('token' in line ? [line.token] : []));

before(async () => {
  core = await CoreProcess.start(data);
  const load = await trial.load(core, { callers: 4 });
  await until(
    'inserts',
    () => load.acknowledged,
    seen => seen >= 2_000,
  );
  const made = await gsq('token', 'create', '--email', 'ann@example.com', '--allow-ip', '192.0.2.0/24');
  assert.equal(made.status, 0, made.talk);
  acknowledged = trial.history.acknowledged;
  const meanwhile = load.acknowledged;
  const { status, out, talk } = await gsq('backup', file, '--json');
  assert.equal(status, 0, talk);
  await load.stop();
  assert.ok(load.acknowledged > meanwhile, 'there was no load');
  const { servers, tokens } = JSON.parse(out) as { servers: number; tokens: number };
  assert.deepEqual([servers, tokens], [serversOf(file).length, 2]);
});

after(() => core.child.stop('SIGKILL'));

test('a backup of a busy core contains all servers that were inserted before the backup, and has file mode 0600', () => {
  const held = new Set(serversOf(file).map(({ address }) => address));
  assert.deepEqual(
    acknowledged.filter(address => !held.has(address)),
    [],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(
    readdirSync(home).filter(name => name.endsWith('.part')),
    [],
  );
});

test('a core with restored data has all servers and tokens of the backup, and the tokens are valid', async () => {
  const restored = join(home, 'restored');
  const { status, talk } = await gsq('restore', file, '--data-dir', restored);
  assert.equal(status, 0, talk);
  assert.deepEqual(readdirSync(restored).sort(), ['history', 'leveldb', 'token.key']);
  const first = core;
  try {
    core = await CoreProcess.start(restored);
    const again = join(home, 'again.ndjson');
    const second = await gsq('backup', again);
    assert.equal(second.status, 0, second.talk);
    assert.deepEqual(serversOf(again), serversOf(file));
    assert.deepEqual(tokensOf(again), tokensOf(file));
    // Sends a fetch to the restored core, with a token that was created before the backup. The token must still be
    // valid, because the backup contains the secret key with which tokens are checked.
    const load = await trial.load(core, { callers: 0 });
    assert.ok(await load.fetch([acknowledged[0] ?? '']));
    await load.stop();
    assert.equal(tokensOf(again).length, 2);
  } finally {
    await core.child.stop();
    core = first;
  }
});

test('gsq restore refuses a damaged backup, and creates no target directory', async () => {
  const path = join(home, 'damaged.ndjson');
  writeFileSync(path, readFileSync(file, 'utf8').replace(/"inserted_at":(\d+)/, '"inserted_at":1'));
  const target = join(home, 'never');
  const { status, talk } = await gsq('restore', path, '--data-dir', target);
  assert.deepEqual([status, existsSync(target)], [1, false]);
  assert.match(
    talk,
    /does not match the checksum of the lines before it: the backup is damaged; use another one/,
  );
});

test('gsq restore refuses to write to a directory with files, and gsq backup refuses to overwrite a file', async () => {
  const used = join(home, 'used');
  mkdirSync(used);
  writeFileSync(join(used, 'note'), '');
  const restored = await gsq('restore', file, '--data-dir', used);
  assert.deepEqual([restored.status, readdirSync(used)], [3, ['note']]);
  assert.match(restored.talk, /is not empty, it contains note/);
  const written = await gsq('backup', file);
  assert.equal(written.status, 2);
  assert.match(written.talk, /already exists; give the name of a new file/);
  assert.equal((await gsq('restore', join(home, 'nowhere'), '--data-dir', join(home, 'new'))).status, 3);
});

/** Returns the names and contents of all LevelDB files in a data directory. */
function filesOf(directory: string): string[][] {
  return readdirSync(join(directory, 'leveldb'))
    .filter(name => /^(CURRENT|MANIFEST|\d)/.test(name))
    .map(name => [name, readFileSync(join(directory, 'leveldb', name)).toString('base64')]);
}

test('gsq doctor checks a running core, but gsq doctor --offline exits with 3 while that core runs', async () => {
  const ops = ['--core-ops-addr', await core.address('GSQ_CORE_OPS_ADDR')];
  const nobody = ['gateway', 'prober', 'notifier'].flatMap(name => [`--${name}-ops-addr`, '127.0.0.1:1']);
  const { status, out } = await gsq('doctor', '--json', ...ops, ...nobody);
  const findings = JSON.parse(out) as { what: string; ok: boolean; message: string }[];
  assert.deepEqual(
    findings.map(({ what, ok }) => [what, ok]),
    [
      ['core', true],
      ['probers', false],
      ['store', true],
      ['history', true],
      ['gateway', false],
      ['prober', false],
      ['notifier', false],
    ],
  );
  assert.equal(status, 1);
  const offline = await gsq('doctor', '--offline', '--data-dir', data);
  assert.equal(offline.status, 3);
  assert.match(offline.talk, /is in use by another core/);
  assert.equal((await gsq('backup', join(home, 'no'), '--offline', '--data-dir', data)).status, 3);
  assert.ok(core.child.running);
});

test('gsq doctor --offline and gsq backup --offline read the data directory of a stopped core without changing it', async () => {
  await core.child.stop();
  const before = filesOf(data);
  const examined = await gsq('doctor', '--offline', '--data-dir', data);
  assert.equal(examined.status, 0, examined.out + examined.talk);
  assert.match(examined.out, /ok +store +\d+ servers and 2 tokens, all of them undamaged/);
  const path = join(home, 'offline.ndjson');
  assert.equal((await gsq('backup', path, '--offline', '--data-dir', data)).status, 0);
  assert.ok(serversOf(path).length >= serversOf(file).length);
  assert.deepEqual(filesOf(data), before);
  assert.deepEqual(readdirSync(data).sort(), ['history', 'leveldb', 'token.key']);
});

test('gsq doctor --offline reports a damaged data directory, and gsq backup --offline saves the undamaged data', async () => {
  const whole = serversOf(join(home, 'offline.ndjson'));
  const damaged = join(home, 'damaged');
  cpSync(data, damaged, { recursive: true });
  const manifest = readdirSync(join(damaged, 'leveldb')).find(name => name.startsWith('MANIFEST')) ?? '';
  const path = join(damaged, 'leveldb', manifest);
  truncateSync(path, statSync(path).size >> 1);
  const before = filesOf(damaged);
  const { status, out } = await gsq('doctor', '--offline', '--data-dir', damaged);
  assert.equal(status, 1);
  assert.match(out, /WRONG +store .*gsq restore <file> --data-dir <directory>/);
  const saved = join(home, 'saved.ndjson');
  const salvage = await gsq('backup', saved, '--offline', '--data-dir', damaged);
  assert.equal(salvage.status, 1);
  assert.match(salvage.talk, /left out: /);
  assert.deepEqual(serversOf(saved), whole);
  assert.deepEqual(filesOf(damaged), before);
  const restored = join(home, 'from-saved');
  assert.equal((await gsq('restore', saved, '--data-dir', restored)).status, 0);
  rmSync(damaged, { recursive: true });
  assert.equal(tokensOf(saved).find(({ email }) => email === bootstrap.email)?.tier, 'PRO');
});
