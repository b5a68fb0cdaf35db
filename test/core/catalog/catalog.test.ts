import assert from 'node:assert/strict';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CATALOG_RETRY_MS, CATALOG_TTL_MS, Catalog } from '../../../core/catalog/catalog.ts';
import { catalogFile } from '../../../core/catalog/catalog-file.ts';
import { CatalogError, MAX_CATALOG_BYTES } from '../../../proto/catalog.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

const start = Date.UTC(2026, 0, 1);
const directory = scratchDirectory();

const catalogOf = (...ids: string[]): string =>
  JSON.stringify(ids.map(id => ({ id, name: `Game ${id}`, protocol: 'a2s', aliases: [`old${id}`] })));

let files = 0;

/**
 * Creates a catalog file, a clock that moves only if the test sets it, and a counter of the reads of the
 * file.
 */
function fixture(text: string) {
  files += 1;
  const path = join(directory, `${files}.json`);
  writeFileSync(path, text);
  const file = catalogFile(path);
  const state = { path, at: start, reads: 0, failures: [] as unknown[] };
  const options = {
    source: {
      name: file.name,
      read: () => {
        state.reads += 1;
        return file.read();
      },
    },
    now: () => state.at,
    onRefreshFailure: (error: unknown) => {
      state.failures.push(error);
    },
  };
  return Object.assign(state, { options, load: () => Catalog.load(options) });
}

describe('the catalog cache with a time-to-live of 24 hours', () => {
  it('returns the games, the version and the times of the loaded catalog', async () => {
    const f = fixture(catalogOf('b', 'a'));
    utimesSync(f.path, 1_700_000_000, 1_700_000_000.5);
    const snapshot = (await f.load()).current();
    assert.deepEqual(
      snapshot.games.map(game => game.id),
      ['b', 'a'],
    );
    assert.match(snapshot.version, /^[0-9a-f]{32}$/);
    assert.equal(snapshot.loadedAt, start);
    assert.equal(snapshot.expiresAt, start + 24 * 60 * 60 * 1000);
    assert.equal(snapshot.modifiedAt, 1_700_000_000_500);
  });

  it('finds a game only by its exact id or alias', async () => {
    const { find } = (await fixture(catalogOf('css')).load()).current();
    assert.equal(find('css')?.name, 'Game css');
    assert.equal(find('oldcss')?.id, 'css');
    for (const word of ['', 'CSS', ' css', '__proto__', 'constructor', 'toString'])
      assert.equal(find(word), undefined);
  });

  it('reads the catalog file again only after 24 hours', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    const first = catalog.current();
    writeFileSync(f.path, catalogOf('a', 'b'));
    f.at = start + CATALOG_TTL_MS - 1;
    assert.equal(await catalog.get(), first);
    assert.equal(f.reads, 1);

    f.at = start + CATALOG_TTL_MS;
    const second = await catalog.get();
    assert.equal(f.reads, 2);
    assert.deepEqual(
      [second.find('b')?.id, second.loadedAt, second.expiresAt],
      ['b', f.at, f.at + CATALOG_TTL_MS],
    );
    assert.notEqual(second.version, first.version);
    assert.equal(catalog.current(), second);
  });

  it('keeps the version of the catalog at a reload if the file did not change', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    const { version } = catalog.current();
    f.at = start + CATALOG_TTL_MS;
    const reloaded = await catalog.get();
    assert.deepEqual([reloaded.version, reloaded.loadedAt], [version, f.at]);
  });

  it('reloads the catalog file if the clock was set back', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    f.at = start - 1;
    assert.equal((await catalog.get()).loadedAt, start - 1);
  });
});

describe('the catalog cache after its 24 hours are over', () => {
  it('loads the file once for concurrent calls; get() waits for the load, and current() does not', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    const first = catalog.current();
    writeFileSync(f.path, catalogOf('b'));
    f.at = start + CATALOG_TTL_MS;
    assert.equal(catalog.current(), first);
    assert.equal(catalog.current(), first);
    assert.equal(f.reads, 2);
    const answers = await Promise.all(Array.from({ length: 50 }, () => catalog.get()));
    assert.equal(f.reads, 2);
    assert.equal(new Set(answers).size, 1);
    assert.equal(catalog.current().find('b')?.id, 'b');
    assert.equal(f.reads, 2);
  });
});

describe('the catalog cache at a reload', () => {
  const breakages: [what: string, breakFile: (path: string) => void, message: RegExp][] = [
    ['not JSON', path => writeFileSync(path, '[{"id"'), /: line 1, column 7: ends too early/],
    [
      'not a catalog',
      path => writeFileSync(path, '[{"id":"a"}]'),
      /: entry 0 \(id "a"\): field "name" is missing/,
    ],
    ['missing', path => rmSync(path), /: cannot be read \(ENOENT.+\); GSQ_CATALOG must name/],
    [
      'too large',
      path => writeFileSync(path, ' '.repeat(MAX_CATALOG_BYTES + 1)),
      /: 4194305 bytes, more than 4194304/,
    ],
  ];
  for (const [what, breakFile, message] of breakages) {
    it(`keeps the last valid catalog, and reports and counts the error, if the file is ${what}`, async () => {
      const f = fixture(catalogOf('a'));
      const catalog = await f.load();
      const good = catalog.current();
      breakFile(f.path);
      f.at = start + CATALOG_TTL_MS;
      const answers = await Promise.all([catalog.get(), catalog.get()]);
      assert.deepEqual(new Set(answers), new Set([good]));
      assert.equal(catalog.refreshFailures, 1);
      assert.equal(f.failures.length, 1);
      const [error] = f.failures;
      assert.ok(error instanceof CatalogError);
      assert.ok(error.message.startsWith(f.path));
      assert.match(error.message, message);
    });
  }

  it('retries a failed reload after one minute and not earlier, and then uses the corrected file', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    writeFileSync(f.path, 'broken');
    f.at = start + CATALOG_TTL_MS;
    await catalog.get();
    writeFileSync(f.path, catalogOf('b'));
    f.at += CATALOG_RETRY_MS - 1;
    assert.equal((await catalog.get()).find('b'), undefined);
    catalog.current();
    assert.equal(f.reads, 2);

    f.at += 1;
    const mended = await catalog.get();
    assert.deepEqual([mended.find('b')?.id, mended.loadedAt, f.reads], ['b', f.at, 3]);
    f.at += CATALOG_TTL_MS - 1;
    assert.equal(await catalog.get(), mended);
    assert.equal(catalog.refreshFailures, 1);
  });
});

describe('the catalog cache at the start of the core', () => {
  it('rejects an invalid or missing file with an error that contains its name, the fault and advice', async () => {
    const missing = Catalog.load({
      ...fixture('').options,
      source: catalogFile(join(directory, 'none.json')),
    });
    await assert.rejects(missing, {
      name: 'CatalogError',
      message:
        `${join(directory, 'none.json')}: cannot be read (ENOENT: no such file or directory, open ` +
        `'${join(directory, 'none.json')}'); GSQ_CATALOG must name a readable catalog file, like the catalog.json ` +
        'that comes with gsq',
    });
    const broken = fixture('[\n{"id":"a"},,\n]');
    await assert.rejects(broken.load(), {
      name: 'CatalogError',
      message: `${broken.path}: line 2, column 12: not JSON from ",\\n]" on; mend the text there`,
    });
    const folder = Catalog.load({ ...broken.options, source: catalogFile(directory) });
    await assert.rejects(folder, { name: 'CatalogError', message: /: cannot be read \(EISDIR/ });
    assert.equal(broken.failures.length, 0);
  });
});
