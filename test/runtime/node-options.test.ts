import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { nodeOptions } from '../../runtime/node-options.ts';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

for (const [name, options] of Object.entries(nodeOptions)) {
  test(`npm run ${name} starts the process with the same Node options as the others`, () => {
    assert.equal(scripts[name], ['node', ...options, '--import', 'tsx', `${name}/main.ts`].join(' '));
  });
}
