import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { checkOptIn } from '../../../prober/directories/directories.ts';
import { directories, directoryOf } from '../../../prober/directories/registry.ts';
import { userAgent } from '../../../prober/directories/user-agent.ts';
import { parseCatalog } from '../../../proto/catalog.ts';
import { packageVersion } from '../../../runtime/version.ts';
import { directoryHosts } from './fake-directories.ts';

test('catalog.json names the directory (online server list) of each game that has one', () => {
  const text = readFileSync(new URL('../../../catalog.json', import.meta.url), 'utf8');
  const listed = parseCatalog(text, 'catalog.json');
  for (const { id, protocol, directory } of listed) {
    assert.equal(directory, directoryOf(protocol)?.name, id);
  }
  const used = new Set(listed.map(({ directory }) => directory).filter(name => name !== undefined));
  assert.deepEqual([...used].sort(), directories.map(({ name }) => name).sort());
});

describe('the settings of directories (online server lists)', () => {
  test('put GSQ_CONTACT into the User-Agent header, and refuse a value that this header cannot contain', () => {
    assert.equal(userAgent(undefined), `gsq/${packageVersion()}`);
    assert.equal(
      userAgent('https://gsq.example/about'),
      `gsq/${packageVersion()} (https://gsq.example/about)`,
    );
    for (const contact of ['a\r\nX-Evil: 1', 'Ädmin', 'a)', 'x'.repeat(201)]) {
      assert.throws(() => userAgent(contact), /^ConfigError: GSQ_CONTACT: /);
    }
  });

  test('accept in GSQ_DIRECTORY_OPT_IN only names of directories that require an opt-in', () => {
    checkOptIn([]);
    checkOptIn(['vintagestory']);
    for (const name of ['beammp', 'vintage', '']) {
      assert.throws(
        () => checkOptIn([name]),
        /^ConfigError: GSQ_DIRECTORY_OPT_IN: .*those are vintagestory$/,
      );
    }
  });

  test('give each directory a unique name and hosts of its own', () => {
    assert.equal(new Set(directories.map(({ name }) => name)).size, directories.length);
    assert.equal(new Set(directoryHosts).size, directoryHosts.length);
    for (const { origins } of directories)
      for (const origin of origins) assert.equal(new URL(origin).origin, origin);
  });
});
