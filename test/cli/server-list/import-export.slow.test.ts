import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { ListFormat } from '../../../cli/server-list/list-format.ts';
import { gsq } from '../gsq-command.ts';
import { withCore } from '../running-core.ts';
import { importAndExport } from './round-trip.ts';

for (const format of ['text', 'csv', 'jsonl'] satisfies ListFormat[]) {
  describe(`a list of 10,000 servers in ${format} format`, () => {
    const [first, second] = [withCore(), withCore()];

    test('keeps all its valid servers when gsq imports and exports the list twice', async () => {
      const exported = await importAndExport(first, format, 10_000);
      const imported = await gsq(second, 'servers', 'import', exported);
      assert.equal(imported.out, '10000 read, 10000 inserted, 0 already tracked, 0 refused\n', imported.talk);
      const { out } = await gsq(second, 'servers', 'export', '--format', format);
      assert.equal(out, readFileSync(exported, 'utf8'));
    });
  });
}
