import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Setting } from '../../runtime/setting.ts';
import { settings } from '../../runtime/settings.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { processNames } from '../system/stack-settings.ts';
import { commandsBelow, systemdHeadings } from './operations-page.ts';
import { onlyValue, readEnvironment, readUnit, type UnitSetting, valuesOf } from './unit-file.ts';

const folder = new URL('../../deploy/systemd/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const unitOf = (name: string): UnitSetting[] => readUnit(read(name));

/**
 * Settings in the sections [Unit] and [Service] that are allowed to differ between the systemd units of gsq. All other
 * settings must be equal.
 */
const OF_ONE_UNIT = new Set([
  'After',
  'Description',
  'Environment',
  'ExecStart',
  'LimitNOFILE',
  'MemoryMax',
  'OOMScoreAdjust',
  'StateDirectory',
  'StateDirectoryMode',
  'User',
]);

for (const name of processNames) {
  const unit = unitOf(`gsq-${name}.service`);

  test(`the systemd unit of the ${name} process runs the same command as "npm run ${name}", plus an option with the secret file`, () => {
    const directory = onlyValue(unit, 'WorkingDirectory');
    const [credential, source] = onlyValue(unit, 'LoadCredential').split(':');
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const secret = ` --internal-secret-file \${CREDENTIALS_DIRECTORY}/${credential}`;
    assert.equal(
      `exec ${onlyValue(unit, 'ExecStart').replace(`${directory}/`, '')}`,
      `${scripts[name]}${secret}`,
    );
    assert.ok(commandsBelow(systemdHeadings.install).includes(`> ${source}`), 'the page creates the secret');
  });

  test(`the systemd unit of the ${name} process has its own user, and the commands on the operations page create this user`, () => {
    assert.equal(onlyValue(unit, 'User'), `gsq-${name}`);
    assert.match(
      commandsBelow(systemdHeadings.install),
      new RegExp(`^for user in .*gsq-${name}\\b.*; do$`, 'm'),
    );
  });

  test(`the systemd unit of the ${name} process has the same sandbox and restart settings as the unit of the core`, () => {
    const common = (of: UnitSetting[]) => of.filter(setting => !OF_ONE_UNIT.has(setting.name));
    assert.deepEqual(common(unit), common(unitOf('gsq-core.service')));
  });

  test(`the systemd unit of the ${name} process sets only settings of gsq`, () => {
    const names = Object.keys(readEnvironment(valuesOf(unit, 'Environment').join('\n')));
    for (const setting of names) assert.ok(Object.hasOwn(settings, setting), setting);
  });
}

test('systemd stops the gateway first, then the prober and the notifier, then the core', () => {
  const after = (name: string) => onlyValue(unitOf(`gsq-${name}.service`), 'After').split(' ');
  assert.ok(after('gateway').includes('gsq-prober.service'));
  assert.ok(after('gateway').includes('gsq-core.service'));
  assert.ok(after('gateway').includes('gsq-notifier.service'));
  for (const name of ['prober', 'notifier']) assert.ok(after(name).includes('gsq-core.service'));
});

test('gsq.target starts at boot, and starts and stops every unit that is enabled', () => {
  assert.equal(onlyValue(unitOf('gsq.target'), 'WantedBy'), 'multi-user.target');
  for (const name of readdirSync(folder).filter(file => file.endsWith('.service'))) {
    assert.equal(onlyValue(unitOf(name), 'WantedBy'), 'gsq.target', name);
    assert.equal(onlyValue(unitOf(name), 'PartOf'), 'gsq.target', name);
  }
});

test('the settings file of the systemd units contains only settings of gsq, and no secret', () => {
  const given = readEnvironment(read('environment').replace(/^#(?=GSQ_)/gm, ''));
  assert.ok(Object.keys(given).length > 0);
  const table: Readonly<Record<string, Setting>> = settings;
  for (const name of Object.keys(given)) {
    assert.ok(Object.hasOwn(table, name), name);
    assert.notEqual(table[name]?.secret, true, name);
  }
});

test('the command deploy/systemd/gsq reads the settings file without shell expansion, as systemd does', () => {
  const directory = scratchDirectory();
  const lines = [
    '# a comment',
    '',
    ';GSQ_A=1',
    'GSQ_B=$5 & `id`;x=y',
    ' GSQ_C="a b" ',
    "GSQ_D='it''s'",
    'GSQ_E="',
  ];
  writeFileSync(join(directory, 'environment'), `${lines.join('\n')}\nGSQ_F=\\n`);
  writeFileSync(
    join(directory, 'gsq.mjs'),
    'console.log(JSON.stringify([process.env, process.argv.slice(2)]))',
  );
  const script = read('gsq').replaceAll('/etc/gsq', directory).replace('/opt/gsq/cli', directory);
  const out = execFileSync('sh', ['-c', script, 'gsq', 'token', 'list'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  const [env, args] = JSON.parse(out) as [Record<string, string>, string[]];
  const gsqNames = Object.entries(env).filter(([name]) => name.includes('GSQ'));
  assert.deepEqual(args, ['token', 'list']);
  assert.deepEqual(Object.fromEntries(gsqNames), {
    GSQ_B: '$5 & `id`;x=y',
    GSQ_C: 'a b',
    GSQ_D: "it''s",
    GSQ_E: '"',
    GSQ_F: '\\n',
    GSQ_DATA_DIR: '/var/lib/gsq',
    GSQ_INTERNAL_SECRET_FILE: join(directory, 'internal.secret'),
    INSTALLED_GSQ: 'gsq',
  });
});
